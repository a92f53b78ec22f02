import type { Lane } from '../../contract/lane.ts';
import { POSITION_STEP } from './position.ts';

/**
 * A new lane, created by the first run that names it or by `configure`. Nobody would resume a lane
 * that nobody configured, so a failure does not hold it by default.
 */
export const newLane = (id: string, owner: string): Lane => ({
  id,
  owner,
  host: null,
  pin: false,
  holdOnFailure: false,
  kept: false,
  state: 'idle',
  held: false,
  runId: null,
  headType: null,
  queued: 0,
  readyAt: 0,
  fence: 0,
  nodeId: null,
  cancel: null,
  answeredAt: null,
  nextPosition: POSITION_STEP,
  lastPosition: 0,
  lastWrite: 0,
  nextSeq: 1,
});
