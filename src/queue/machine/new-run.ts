import type { RunCore } from './lane-change.ts';

/**
 * A run as it is admitted: queued, nothing tried yet. Each field is named, so that all runs have one
 * shape and no field lies outside of its object.
 */
export const newRun = (
  run: Pick<RunCore, 'id' | 'type' | 'maxAttempts' | 'position' | 'runAt'>,
): RunCore => ({
  id: run.id,
  type: run.type,
  state: 'queued',
  attempts: 0,
  maxAttempts: run.maxAttempts,
  crashes: 0,
  position: run.position,
  runAt: run.runAt,
  nextRunAt: null,
  startedAt: null,
  finishedAt: null,
  cancelRequestedAt: null,
  error: null,
  result: null,
  committed: null,
  lastSeq: null,
});
