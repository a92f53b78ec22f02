import type { RunCore } from './lane-change.ts';

/**
 * A newly admitted run: queued, without attempts. Every field is listed so that V8 gives all runs
 * one hidden class and keeps every field inside the object.
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
