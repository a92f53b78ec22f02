import type { Run } from '../../contract/run.ts';
import { verdictOf } from '../../policy/retry.ts';
import { type Logger, SILENT } from '../logger.ts';
import type { Ending } from '../machine/lane-machine.ts';
import type { Clock } from '../store.ts';
import type { Attempt } from './attempt.ts';

/** How an attempt ended, for metrics. */
export interface AttemptEnd {
  /** As claimed. */
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
    /** The run no longer belongs to this worker. */
    | 'lost';
  readonly ms: number;
}

/** The outcome that the store derives from how the attempt ended. */
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

// No fields are built for a silent log, because at full speed the cost is measurable.

export function logStart(attempt: Attempt, log: Logger): void {
  if (log !== SILENT) log.info(fieldsOf(attempt), 'Started');
}

/** Logs how an attempt ended. Operators rely on these message names, so they must not change. */
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
