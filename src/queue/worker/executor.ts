import type { Outcome } from '../../contract/outcome.ts';
import { backoffMs, verdictOf } from '../../policy/retry.ts';
import { HandlerError, messageOf, type Returned } from '../handler-result.ts';
import type { Handlers, RegisteredType } from '../handlers.ts';
import { toJsonText } from '../json-text.ts';
import type { Logger } from '../logger.ts';
import type { Ending } from '../machine/lane-machine.ts';
import type { Clock, LogStore } from '../store.ts';
import type { Attempt } from './attempt.ts';
import { LostError } from './attempt-channel.ts';
import { contextOf } from './attempt-context.ts';
import { type AttemptEnd, fieldsOf, logEnd, logStart, outcomeNameOf } from './attempt-log.ts';
import { conclude } from './conclude.ts';

/** A parked run resumes up to this much later, so that parked runs do not all start together. */
const PARK_JITTER_MS = 30_000;

/** Delay before storing the end of an attempt again after the database has refused it. */
const REFUSED_REST_MS = 5000;

export interface ExecutorOptions {
  readonly handlers: Handlers;
  readonly store: Pick<LogStore, 'listAfter'>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onAttempt: (end: AttemptEnd) => void;
}

/**
 * Executes one attempt: start, handler, end. Never throws; the end is a value from which the store
 * derives what the run does next. Once the run is lost, nothing more is written.
 */
export async function execute(attempt: Attempt, options: ExecutorOptions): Promise<void> {
  const { log } = options;
  const began = performance.now();
  attempt.channel.start();
  logStart(attempt, log);
  const type = options.handlers.get(attempt.run.type);
  const called = callHandler(attempt, type, options);
  const returned = called instanceof Promise ? await called : called;
  if (!attempt.lost) {
    const ending = endingOf(conclude(returned, attempt), attempt, type, options);
    attempt.ending = true;
    if (await store(attempt, ending, log)) {
      const ms = Math.round(performance.now() - began);
      logEnd(attempt, ending, ms, options);
      options.onAttempt({ run: attempt.run, outcome: outcomeNameOf(attempt, ending), ms });
      return;
    }
  }
  log.warn({ ...fieldsOf(attempt), reason: attempt.abort?.message }, 'Lost');
  const ms = Math.round(performance.now() - began);
  options.onAttempt({ run: attempt.run, outcome: 'lost', ms });
}

/** Hands back a claimed run without calling its handler. */
export async function handBackUnstarted(
  attempt: Attempt,
  reason: string,
  log: Logger,
): Promise<void> {
  attempt.ending = true;
  const ending: Ending = { outcome: { kind: 'handed_back', reason }, retryDelayMs: 0 };
  if (await store(attempt, ending, log)) log.info({ ...fieldsOf(attempt), reason }, 'HandedBack');
}

/** Returns a promise only if the handler does: many short handlers do not. */
function callHandler(
  attempt: Attempt,
  type: RegisteredType,
  { store, log }: ExecutorOptions,
): Returned | Promise<Returned> {
  const { run } = attempt;
  let payload: unknown;
  try {
    // Validate again, because the schema may have changed since the run was enqueued.
    payload = type.parse(run.payload);
  } catch (error) {
    return { error: new HandlerError('invalid_payload', messageOf(error)) };
  }
  try {
    const value = type.run?.(payload, contextOf(attempt, store, log));
    return isThenable(value) ? waitFor(value) : { value };
  } catch (error) {
    return { error };
  }
}

async function waitFor(promise: PromiseLike<unknown>): Promise<Returned> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

function endingOf(
  outcome: Outcome,
  { run }: Attempt,
  { retry }: RegisteredType,
  { clock, random }: ExecutorOptions,
): Ending {
  if (outcome.kind === 'parked') {
    const wait = Math.max(0, outcome.until - clock());
    const jitter = Math.round(random() * Math.min(PARK_JITTER_MS, wait / 2));
    const parked = { ...outcome, until: outcome.until + jitter };
    return { outcome: parked, retryDelayMs: 0, parkMs: wait + jitter };
  }
  const retried = outcome.kind === 'failed' && verdictOf(outcome.error.class) === 'retry';
  return { outcome, retryDelayMs: retried ? backoffMs(run.attempts, random, retry) : 0 };
}

/** False if the run was lost. */
async function store(attempt: Attempt, ending: Ending, log: Logger): Promise<boolean> {
  try {
    await attempt.channel.end(ending, sizeOf(ending));
    return true;
  } catch (error) {
    if (error instanceof LostError) return false;
    return storeRefusal(attempt, error, log);
  }
}

/**
 * Called when the database responds but refuses to store how the attempt ended. Recording a plain
 * failure instead keeps the lane moving; if the database refuses even that, the write is retried
 * every few seconds until the lease is gone.
 */
async function storeRefusal(attempt: Attempt, cause: unknown, log: Logger): Promise<boolean> {
  const error = {
    class: 'unknown',
    message: `The store refused the run's result: ${messageOf(cause)}`,
  } as const;
  const outcome: Outcome = { kind: 'failed', error };
  if (!attempt.channel.started) attempt.channel.start();
  try {
    await attempt.channel.end(
      { outcome, retryDelayMs: 60_000 },
      sizeOf({ outcome, retryDelayMs: 0 }),
    );
    return true;
  } catch (again) {
    if (again instanceof LostError) return false;
    log.error({ ...fieldsOf(attempt), err: again }, 'Could not store the outcome of a run');
    // The lane stays taken until then, so nothing runs twice.
    await new Promise((resolve) => setTimeout(resolve, REFUSED_REST_MS).unref());
    return storeRefusal(attempt, cause, log);
  }
}

const sizeOf = ({ outcome }: Ending): number =>
  outcome.kind === 'succeeded' && outcome.result === null ? 0 : toJsonText(outcome).bytes;
