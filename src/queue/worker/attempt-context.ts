import { BatonError } from '../../contract/errors.ts';
import {
  AnyEventType,
  EVENT_PAYLOAD_MAX,
  type NewEvent,
  QUEUE_EVENTS,
} from '../../contract/event.ts';
import type { HandlerEvents, NoOthers } from '../../contract/events/table.ts';
import type { Run } from '../../contract/run.ts';
import { outcomeOf } from '../handler-result.ts';
import { snapshot } from '../json-text.ts';
import { type Logger, withFields } from '../logger.ts';
import type { LogStore } from '../store.ts';
import type { Attempt } from './attempt.ts';
import { type PastAttempt, pastAttempts } from './attempt-history.ts';
import { fieldsOf } from './attempt-log.ts';

/** Payloads by type of event, for handlers that declare no events. */
export type AnyEvents = Readonly<Record<string, unknown>>;

/**
 * A handler's second argument. Its members may be destructured and passed on, but a spread omits
 * `signal` and `log`, which are lazy getters. `Events` are the payloads of the events that the
 * handler emits, by type.
 */
export interface AttemptContext<Events extends object> {
  readonly run: Run;
  /** Counts the run's executions, starting at 1. */
  readonly attempt: number;
  /**
   * The claim's fence. Include it in writes to other systems, to distinguish this attempt from a
   * lost one.
   */
  readonly fence: number;
  /** Aborted with an AbortReason when the handler must stop; it then cleans up and returns. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Appends an event to the lane's log. Resolves when the event is stored, so awaiting it slows
   * down a handler that is faster than the database. Throws synchronously for an event that cannot
   * be stored.
   */
  emit<T extends keyof Events & string, P extends Events[T]>(
    type: T,
    payload: P & NoOthers<P, Events[T]>,
  ): Promise<void>;
  progress(payload: unknown): Promise<void>;
  /** For handlers that do not await each `emit()`: resolves once the buffer has room. */
  room(): Promise<void>;
  /** How the prior attempts ended. */
  history(): Promise<PastAttempt[]>;
  /**
   * Commits the final result or failure before the handler cleans up; resolves when it is stored.
   * From then on, the run ends with this outcome and is not executed again, even if this process
   * dies (Q10).
   */
  commit(result: unknown): Promise<void>;
  /**
   * Opens the run's question: the run becomes `waiting` and frees its slot. Resolves when the
   * question has been answered and the run has a slot again; rejects with the AbortReason when the
   * handler must stop.
   */
  wait(): Promise<void>;
}

type AnyContext = AttemptContext<AnyEvents>;

export const contextOf = (
  attempt: Attempt,
  store: Pick<LogStore, 'listAfter'>,
  log: Logger,
): AnyContext => new Context(attempt, store, log);

const PROGRESS: keyof HandlerEvents = 'run.progress';

/** A class, because creating an object with its own getters takes twenty times as long. */
class Context implements AnyContext {
  readonly run: Run;
  readonly attempt: number;
  readonly fence: number;
  readonly emit: AnyContext['emit'];
  readonly progress: AnyContext['progress'];
  readonly room: AnyContext['room'];
  readonly history: AnyContext['history'];
  readonly commit: AnyContext['commit'];
  readonly wait: AnyContext['wait'];
  readonly #attempt: Attempt;
  readonly #log: Logger;

  constructor(attempt: Attempt, store: Pick<LogStore, 'listAfter'>, log: Logger) {
    const { run } = attempt;
    const emit = (type: string, payload: unknown): Promise<void> => {
      checkType(type);
      const { json, bytes } = fitting(type, payload);
      return attempt.channel.event({ type, payload: json } as NewEvent, bytes);
    };
    this.run = run;
    this.attempt = run.attempts;
    this.fence = attempt.fence;
    this.emit = emit;
    this.progress = (payload) => emit(PROGRESS, payload);
    this.room = () => attempt.room();
    this.history = () => pastAttempts(store, run);
    this.commit = (result) => commit(attempt, result);
    this.wait = () => attempt.wait();
    this.#attempt = attempt;
    this.#log = log;
  }

  // Created on first use: most short handlers never use it, and it is not cheap.
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get log(): Logger {
    return withFields(this.#log, fieldsOf(this.#attempt));
  }
}

function commit(attempt: Attempt, result: unknown): Promise<void> {
  const outcome = outcomeOf({ value: result });
  if (outcome.kind !== 'succeeded' && outcome.kind !== 'failed') {
    throw new BatonError('invalid_request', 'commit() takes a result or the value of fail().');
  }
  return attempt.commit(outcome);
}

function checkType(type: string): void {
  if (Object.hasOwn(QUEUE_EVENTS, type)) {
    throw new BatonError('invalid_request', `Only the queue may emit events of type ${type}.`);
  }
  const parsed = AnyEventType.safeParse(type);
  if (!parsed.success) throw new BatonError('invalid_request', parsed.error.issues[0]?.message);
}

function fitting(type: string, payload: unknown): ReturnType<typeof snapshot> {
  let taken: ReturnType<typeof snapshot>;
  try {
    taken = snapshot(payload);
  } catch (error) {
    const message = `The payload of the ${type} event is not JSON.`;
    throw new BatonError('invalid_request', message, { cause: error });
  }
  if (taken.bytes <= EVENT_PAYLOAD_MAX) return taken;
  throw new BatonError(
    'payload_too_large',
    `The payload of the ${type} event is ${taken.bytes} bytes; the limit is ${EVENT_PAYLOAD_MAX}.`,
  );
}
