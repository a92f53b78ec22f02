import type { OnBusy } from '../../../contract/run.ts';
import type { Receipt } from '../../store.ts';
import type { World } from './world.ts';

export interface ModelAdmission {
  readonly id: string;
  readonly lane: string | null;
  readonly owner: string;
  readonly type: string;
  readonly payload: number;
  readonly delayMs: number | null;
  readonly maxAttempts: number;
  readonly key: string | null;
  readonly hash: string;
  readonly onBusy: OnBusy;
}

/** Admits a run to the model, and returns the expected receipt. */
export function admit(world: World, asked: ModelAdmission): Receipt {
  const scope = asked.lane ?? '';
  const key = asked.key === null ? null : `${scope}/${asked.key}`;
  const known = key === null ? undefined : world.runs.find((run) => run.key === key);
  if (known !== undefined) {
    if (known.hash !== asked.hash) throw new Error('idempotency_conflict');
    const lane = world.openLane(known.lane, '');
    const waits = known.state === 'queued' && lane.begun !== known.id;
    const index = lane.queue.indexOf(known.id);
    const ahead = (lane.begun === null ? 0 : 1) + (index === -1 ? lane.queue.length : index);
    const { id, state } = known;
    return { id, lane: lane.id, state, position: waits ? ahead : 0, known: true };
  }
  const lane = world.openLane(asked.lane ?? asked.id, asked.owner);
  if (asked.onBusy === 'reject' && (lane.begun !== null || lane.queue.length > 0)) {
    throw new Error('lane_busy');
  }
  const runAt = asked.delayMs === null ? null : world.now + asked.delayMs;
  const joins = runAt === null || runAt <= world.now;
  const interrupts = asked.onBusy === 'interrupt' && joins;
  if (interrupts && lane.begun !== null) world.cancel(world.run(lane.begun), 'interrupt');
  const position = (lane.begun === null ? 0 : 1) + (interrupts ? 0 : lane.queue.length);
  world.runs.push({
    id: asked.id,
    lane: lane.id,
    type: asked.type,
    state: 'queued',
    payload: asked.payload,
    attempts: 0,
    maxAttempts: asked.maxAttempts,
    crashes: 0,
    retryOf: null,
    key,
    hash: asked.hash,
    runAt,
    nextRunAt: null,
    finishedAt: null,
    error: null,
    committed: null,
  });
  if (interrupts) lane.queue.unshift(asked.id);
  else if (joins) lane.queue.push(asked.id);
  return { id: asked.id, lane: lane.id, state: 'queued', position, known: false };
}
