import { verdictOf } from '../policy/retry.ts';
import type { Attempt } from './attempt.ts';
import type { Ending } from './lane-machine.ts';
import { type Logger, SILENT } from './logger.ts';
import type { Clock } from './store.ts';

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
  { outcome, retryDelayMs }: Ending,
  durationMs: number,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): void {
  if (log === SILENT) return;
  const { run, abort } = attempt;
  const fields = { ...fieldsOf(attempt), durationMs };
  if (outcome.kind === 'succeeded') {
    log.info(fields, 'Succeeded');
  } else if (outcome.kind === 'cancelled' || abort?.kind === 'cancelled') {
    log.info(fields, 'Cancelled');
  } else if (outcome.kind === 'left_waiting') {
    log.info(fields, 'LeftWaiting');
  } else if (outcome.kind === 'handed_back') {
    log.info({ ...fields, reason: outcome.reason }, 'HandedBack');
  } else if (outcome.kind === 'parked') {
    log.info({ ...fields, err: outcome.error, nextRunAt: timeOf(outcome.until) }, 'Parked');
  } else {
    const err = outcome.error;
    log.warn({ ...fields, err }, 'Failed');
    if (verdictOf(err.class) !== 'retry') return;
    if (run.attempts >= run.maxAttempts) {
      log.error({ ...fields, err }, 'Dead');
    } else {
      const nextRunAt = timeOf(clock() + retryDelayMs);
      log.info({ ...fields, err, nextRunAt, delayMs: retryDelayMs }, 'RetryScheduled');
    }
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
