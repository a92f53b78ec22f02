import { BatonError } from '../../contract/errors.ts';
import { planClaim } from '../machine/claim-plan.ts';
import * as machine from '../machine/lane-machine.ts';
import type { Caps, ClaimedRun, ClaimRequest } from '../store.ts';
import { isAlive } from './nodes.ts';
import { tailPosition } from './positions.ts';
import { readyLanes } from './ready-lanes.ts';
import { type LaneRecord, type RunRecord, toRun } from './records.ts';
import { coreIn, type Tables } from './tables.ts';

export function claim(tables: Tables, request: ClaimRequest): ClaimedRun[] {
  const now = tables.clock();
  const node = tables.nodes.get(request.nodeId);
  if (node === undefined || !isAlive(node, now)) throw new BatonError('node_lost');
  joinDue(tables, now);
  wakeDelayed(tables, now);
  const claimed: ClaimedRun[] = [];
  if (tables.stop !== null) return claimed;
  giveSlotsBack(tables, request.caps, now);
  const limit = Math.min(request.limit, node.capacity - tables.executing.ofNode(node.id));
  if (limit <= 0) return claimed;

  const lanes = readyLanes(tables, node, now, (lane) => {
    const holder = { nodeId: node.id, host: node.host, fence: ++tables.lastFence };
    claimed.push(take(tables, lane, holder, now));
  });
  planClaim(lanes, { types: request.types, limit, caps: request.caps });
  return claimed;
}

function take(tables: Tables, lane: LaneRecord, holder: machine.Holder, now: number): ClaimedRun {
  const record = (lane.begun ?? lane.queue?.at(0)) as RunRecord;
  const change = tables.change(lane, now);
  machine.take(change, coreIn(change, record), holder);
  tables.commit(lane, change, record);
  return { run: toRun(record), fence: holder.fence };
}

/** Due runs join their lanes in the order in which they became due. */
function joinDue(tables: Tables, now: number): void {
  for (;;) {
    const record = tables.due.peek();
    if (record === undefined || (record.core.runAt as number) > now) return;
    const { lane } = record;
    const change = tables.change(lane, now);
    machine.joinWhenDue(change, coreIn(change, record), tailPosition(change));
    tables.commit(lane, change, record);
  }
}

function wakeDelayed(tables: Tables, now: number): void {
  for (;;) {
    const lane = tables.delayed.peek();
    if (lane === undefined || lane.row.readyAt > now) return;
    const change = tables.change(lane, now);
    machine.wakeDelayed(change);
    tables.commit(lane, change, null);
  }
}

/** Answered runs on any node continue before new runs start, as far as the caps allow. */
function giveSlotsBack(tables: Tables, caps: Caps, now: number): void {
  for (const lane of tables.answered) {
    const { headType, owner, nodeId } = lane.row;
    const node = tables.nodes.get(nodeId as string);
    // A run whose node is gone continues after the takeover.
    if (node === undefined || !isAlive(node, now)) continue;
    const type = headType as string;
    const typeCap = Object.hasOwn(caps.types, type) ? caps.types[type] : undefined;
    if (typeCap !== undefined && tables.executing.ofType(type) >= typeCap) continue;
    if (caps.perOwner !== null && tables.executing.ofOwner(owner, null) >= caps.perOwner) continue;
    if (tables.executing.ofNode(node.id) >= node.capacity) continue;
    const change = tables.change(lane, now);
    machine.retake(change, coreIn(change, lane.begun as RunRecord));
    tables.commit(lane, change, lane.begun);
  }
}
