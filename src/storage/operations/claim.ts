import { BatonError } from '../../contract/errors.ts';
import { READY } from '../../queue/hint.ts';
import { LaneChange } from '../../queue/machine/lane-change.ts';
import { joinWhenDue, retake, wakeDelayed } from '../../queue/machine/lane-machine.ts';
import type { ClaimedRun, ClaimRequest } from '../../queue/store.ts';
import { CORE_COLUMNS, type CoreRow, toCore } from '../rows.ts';
import { type Op, query, queryOne } from '../statement.ts';
import {
  type ClaimResult,
  type Dialect,
  type Done,
  done,
  hintOf,
  mergeHints,
  NO_HINT,
} from './dialect.ts';
import { tailPosition } from './positions.ts';

/** Gives runs to a node. Does upkeep first, so that due and answered runs are also served (Q3). */
export function* claim(
  dialect: Dialect,
  now: number,
  request: ClaimRequest,
): Op<Done<ClaimedRun[]>> {
  let result = yield* dialect.claimLanes(request, now, true);
  const kept: LaneChange[] = [];
  if (result.alive && needsUpkeep(result)) {
    kept.push(...(yield* upkeep(dialect, now, result, request)));
    result = yield* dialect.claimLanes(request, now, false);
  }
  return claimed(result, request, kept);
}

/** Claims in one statement, without a transaction. Null if there is upkeep to do. */
export function* claimAtOnce(
  dialect: Dialect,
  now: number | null,
  request: ClaimRequest,
): Op<Done<ClaimedRun[]> | null> {
  const result = yield* dialect.claimLanes(request, now, true);
  return needsUpkeep(result) ? null : claimed(result, request, []);
}

const needsUpkeep = ({ due, delayed, answered }: ClaimResult): boolean =>
  due.length + delayed.length + answered.length > 0;

function claimed(
  result: ClaimResult,
  request: ClaimRequest,
  kept: readonly LaneChange[],
): Done<ClaimedRun[]> {
  if (!result.alive)
    throw new BatonError('node_lost', `The lease of node ${request.nodeId} has expired.`);
  const { value, hint } = done([...result.claimed], kept);
  return {
    value,
    hint: mergeHints(hint, {
      ...(result.left ? hintOf(READY) : NO_HINT),
      lanes: value.map(({ run }) => run.lane),
    }),
  };
}

/** Due runs join their lanes, expired delays end, and answered runs get a slot before new ones. */
function* upkeep(
  dialect: Dialect,
  now: number,
  result: ClaimResult,
  request: ClaimRequest,
): Op<LaneChange[]> {
  const due: CoreRow[] = [];
  for (const id of result.due) {
    const row = yield* queryOne<CoreRow>(`SELECT ${CORE_COLUMNS} FROM runs r WHERE r.id = $1`, [
      id,
    ]);
    if (row !== null) due.push(row);
  }
  const ids = new Set([...due.map((row) => row.r_lane), ...result.delayed, ...result.answered]);
  // Does not wait for locks, because all other claims wait for this one. The next claim serves the
  // lanes that are locked now.
  const lanes = yield* dialect.lockFreeLanes([...ids].sort());
  const changes = new Map(lanes.map((lane) => [lane.id, new LaneChange(lane, now)]));
  for (const row of due) {
    const change = changes.get(row.r_lane);
    if (change === undefined) continue;
    // The run is read again under the lane's lock, because it may have been cancelled in the
    // meantime.
    const still = yield* queryOne<CoreRow>(
      `SELECT ${CORE_COLUMNS} FROM runs r WHERE r.id = $1 AND r.position IS NULL AND r.state = 'queued'`,
      [row.r_id],
    );
    if (still !== null) joinWhenDue(change, toCore(still), tailPosition(change));
  }
  for (const id of result.delayed) {
    const change = changes.get(id);
    if (change?.lane.state === 'delayed' && change.lane.readyAt <= now) wakeDelayed(change);
  }
  for (const id of result.answered) {
    const change = changes.get(id);
    if (change !== undefined) yield* giveSlotBack(change, request);
  }
  yield* dialect.save([...changes.values()]);
  return [...changes.values()];
}

/**
 * Gives the lane's answered run a slot back if its node has room and the caps allow it. The
 * executing runs are counted again for each lane, because giving one a slot leaves fewer free
 * slots for the next.
 */
function* giveSlotBack(change: LaneChange, request: ClaimRequest): Op<void> {
  const { lane } = change;
  if (
    lane.answeredAt === null ||
    lane.state !== 'asking' ||
    lane.nodeId === null ||
    lane.runId === null
  )
    return;
  const node = yield* queryOne<{ capacity: number }>(
    'SELECT capacity FROM nodes WHERE id = $1 AND lease_until > $2',
    [lane.nodeId, change.now],
  );
  const onNode = yield* executing('node_id = $1', [lane.nodeId]);
  if (node === null || onNode >= node.capacity) return;
  const type = lane.headType ?? '';
  const cap = Object.hasOwn(request.caps.types, type) ? request.caps.types[type] : undefined;
  if (cap !== undefined && (yield* executing('head_type = $1', [type])) >= cap) return;
  const { perOwner } = request.caps;
  if (perOwner !== null && (yield* executing('owner = $1', [lane.owner])) >= perOwner) return;
  const row = yield* queryOne<CoreRow>(`SELECT ${CORE_COLUMNS} FROM runs r WHERE r.id = $1`, [
    lane.runId,
  ]);
  retake(change, toCore(row!));
  // The change is stored at once, so that the counts for the next lane include it.
  yield* query(`UPDATE lanes SET state = 'running', answered_at = NULL WHERE id = $1`, [lane.id]);
}

function* executing(where: string, values: readonly (string | null)[]): Op<number> {
  const row = yield* queryOne<{ n: number }>(
    `SELECT count(*) AS n FROM lanes WHERE state = 'running' AND ${where}`,
    values,
  );
  return row!.n;
}
