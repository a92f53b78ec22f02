import { BatonError } from '../contract/errors.ts';
import { EVENT_PAYLOAD_MAX, EventType, QUEUE_EVENTS } from '../contract/event.ts';
import type { Run } from '../contract/run.ts';
import type { Attempt } from './attempt.ts';
import { type PastAttempt, pastAttempts } from './attempt-history.ts';
import { outcomeOf } from './handler-result.ts';
import { snapshot } from './json-text.ts';
import { type Logger, withFields } from './logger.ts';
import type { LogStore } from './store.ts';

/** What a handler gets beside its payload. Its functions may be taken apart and passed on. */
export interface AttemptContext {
  readonly run: Run;
  /** Counts executions of this run from 1. */
  readonly attempt: number;
  /** Aborted, with an AbortReason, when the handler must stop: then it cleans up and returns. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Appends an event to the lane's log; resolves when it is stored, which is what slows a handler
   * down that is faster than the database. Throws at once for an event that cannot be stored.
   */
  emit(type: string, payload: unknown): Promise<void>;
  progress(payload: unknown): Promise<void>;
  /** For one who emits without waiting for each: resolves while the buffer has room. */
  room(): Promise<void>;
  /** How the attempts before this one ended. */
  history(): Promise<PastAttempt[]>;
  /**
   * Stores the final result, or failure, before cleaning up; resolves when it is stored. From then
   * on the run ends from it, even if this process dies, and is not executed again (Q10).
   */
  settle(result: unknown): Promise<void>;
  /**
   * Opens the run's question: it becomes `waiting` and frees its slot. Resolves when it was
   * answered and has a slot again; rejects with the AbortReason when the handler must stop.
   */
  wait(): Promise<void>;
}

export function contextOf(
  attempt: Attempt,
  store: Pick<LogStore, 'listAfter'>,
  log: Logger,
): AttemptContext {
  const { run } = attempt;
  const emit = (type: string, payload: unknown): Promise<void> => {
    checkType(type);
    const { json, bytes } = fitting(type, payload);
    return attempt.channel.event({ type, payload: json }, bytes);
  };
  return {
    run,
    attempt: run.attempts,
    // Made when asked for: most short handlers never look at it, and it is not cheap.
    get signal() {
      return attempt.signal;
    },
    get log() {
      return withFields(log, {
        runId: run.id,
        type: run.type,
        lane: run.lane,
        attempt: run.attempts,
      });
    },
    emit,
    progress: (payload) => emit('run.progress', payload),
    room: () => attempt.room(),
    history: () => pastAttempts(store, run),
    settle: (result) => {
      const outcome = outcomeOf({ value: result });
      if (outcome.kind !== 'succeeded' && outcome.kind !== 'failed') {
        throw new BatonError('invalid_request', 'settle() takes a result or what fail() makes.');
      }
      return attempt.settle(outcome);
    },
    wait: () => attempt.wait(),
  };
}

function checkType(type: string): void {
  if (Object.hasOwn(QUEUE_EVENTS, type)) {
    throw new BatonError('invalid_request', `Events of type ${type} are written by the queue.`);
  }
  const parsed = EventType.safeParse(type);
  if (!parsed.success) throw new BatonError('invalid_request', parsed.error.issues[0]?.message);
}

function fitting(type: string, payload: unknown): ReturnType<typeof snapshot> {
  let taken: ReturnType<typeof snapshot>;
  try {
    taken = snapshot(payload);
  } catch (error) {
    const message = `The payload of an event ${type} is not JSON.`;
    throw new BatonError('invalid_request', message, { cause: error });
  }
  if (taken.bytes <= EVENT_PAYLOAD_MAX) return taken;
  throw new BatonError(
    'payload_too_large',
    `The payload of an event ${type} has ${taken.bytes} bytes; ${EVENT_PAYLOAD_MAX} are allowed.`,
  );
}
