import type { RunCore } from './lane-change.ts';

/** A run as it is admitted: queued, nothing tried yet. */
export const newRun = (
  run: Pick<RunCore, 'id' | 'type' | 'maxAttempts' | 'position' | 'runAt'>,
): RunCore => ({
  ...run,
  state: 'queued',
  attempts: 0,
  crashes: 0,
  nextRunAt: null,
  startedAt: null,
  finishedAt: null,
  cancelRequestedAt: null,
  error: null,
  result: null,
  settled: null,
  lastSeq: null,
});
