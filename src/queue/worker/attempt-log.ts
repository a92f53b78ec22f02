import type { Run } from '../../contract/run.ts';
import { verdictOf } from '../../policy/retry.ts';
import { type Logger, SILENT } from '../logger.ts';
import type { Ending } from '../machine/lane-machine.ts';
import type { Clock } from '../store.ts';
import type { Attempt } from './attempt.ts';

/** How an attempt ended, for whoever counts. */
export interface AttemptEnd {
  /** As it was claimed. */
  readonly run: Run;
  readonly outcome:
    | 'succeeded'
    | 'failed'
    | 'dead'
    | 'cancelled'
    | 'retry_scheduled'
    | 'left_waiting'
    | 'handed_back'
    | 'parked'
    /** The run is another worker's, or nobody's. */
    | 'lost';
  readonly ms: number;
}

/** What the store makes of an end. */
export function outcomeNameOf({ run, abort }: Attempt, { outcome }: Ending): AttemptEnd['outcome'] {
  if (outcome.kind === 'succeeded') return 'succeeded';
  if (outcome.kind === 'cancelled' || abort?.kind === 'cancelled') return 'cancelled';
  if (outcome.kind !== 'failed') return outcome.kind;
  if (verdictOf(outcome.error.class) !== 'retry') return 'failed';
  return run.attempts >= run.maxAttempts ? 'dead' : 'retry_scheduled';
}

export const fieldsOf = ({ run }: Attempt) => ({
  runId: run.id,
  type: run.type,
  lane: run.lane,
  attempt: run.attempts,
});

// Nothing is put together for a log that nobody reads: at speed that is noticed.

export function logStart(attempt: Attempt, log: Logger): void {
  if (log !== SILENT) log.info(fieldsOf(attempt), 'Started');
}

/** Says how an attempt ended, under names that do not change. */
export function logEnd(
  attempt: Attempt,
  ending: Ending,
  durationMs: number,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): void {
  if (log === SILENT) return;
  const { outcome, retryDelayMs } = ending;
  const name = outcomeNameOf(attempt, ending);
  const fields = { ...fieldsOf(attempt), durationMs };
  if (name === 'succeeded') {
    log.info(fields, 'Succeeded');
  } else if (name === 'cancelled') {
    log.info(fields, 'Cancelled');
  } else if (outcome.kind === 'left_waiting') {
    log.info(fields, 'LeftWaiting');
  } else if (outcome.kind === 'handed_back') {
    log.info({ ...fields, reason: outcome.reason }, 'HandedBack');
  } else if (outcome.kind === 'parked') {
    log.info({ ...fields, err: outcome.error, nextRunAt: timeOf(outcome.until) }, 'Parked');
  } else if (outcome.kind === 'failed') {
    const err = outcome.error;
    log.warn({ ...fields, err }, 'Failed');
    if (name === 'dead') log.error({ ...fields, err }, 'Dead');
    if (name === 'retry_scheduled') {
      const nextRunAt = timeOf(clock() + retryDelayMs);
      log.info({ ...fields, err, nextRunAt, delayMs: retryDelayMs }, 'RetryScheduled');
    }
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
