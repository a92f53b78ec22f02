import { BatonError } from '../../contract/errors.ts';
import { LaneChange, type RunCore } from '../../queue/machine/lane-change.ts';
import { admit, cancel } from '../../queue/machine/lane-machine.ts';
import { newRun } from '../../queue/machine/new-run.ts';
import { positionInLane } from '../../queue/machine/position.ts';
import type { Admission, Receipt } from '../../queue/store.ts';
import { type Op, query } from '../statement.ts';
import { Again, type Dialect, type Done, done, type NewRun } from './dialect.ts';
import { knownReceipt, scopeOf } from './known-key.ts';
import { readCore } from './load.ts';
import { headPosition, tailPosition } from './positions.ts';

/** Admits runs, all or none, in the order given; a lane's order is the order of commits (Q1). */
export function* enqueue(
  dialect: Dialect,
  now: number,
  admissions: readonly Admission[],
): Op<Done<Receipt[]>> {
  const changes = yield* openLanes(dialect, now, admissions);
  const receipts: Receipt[] = [];
  let unsaved: NewRun[] = [];
  const flush = function* (): Op<void> {
    if (unsaved.length > 0) yield* dialect.insertRuns(unsaved);
    unsaved = [];
  };
  for (const admission of admissions) {
    const change = changes.get(laneOf(admission))!;
    if (admission.idempotencyKey !== null) {
      yield* flush();
      const known = yield* knownReceipt(admission, (lane) => changes.get(lane));
      if (known !== null) {
        receipts.push(known);
        continue;
      }
    }
    if (admission.onBusy !== 'enqueue') yield* flush();
    const { run, receipt } = yield* admitTo(change, admission);
    unsaved.push(run);
    receipts.push(receipt);
  }
  yield* flush();
  const changed = [...changes.values()].filter((change) => change.events.length > 0);
  yield* dialect.save(changed);
  const unused = admissions.filter(
    (one) => one.lane === null && changes.get(one.id)!.events.length === 0,
  );
  if (unused.length > 0) {
    // These lanes were created for runs whose keys turned out to be known already.
    yield* query(`DELETE FROM lanes WHERE ${dialect.oneOf('id', 1)}`, [
      dialect.list(unused.map(({ id }) => id)),
    ]);
  }
  return done(receipts, changed);
}

/** Admits a run to a locked lane; the caller stores the run, then the change. */
export function* admitTo(
  change: LaneChange,
  admission: Admission,
): Op<{ readonly run: NewRun; readonly receipt: Receipt }> {
  const { lane, now } = change;
  const { id, type, maxAttempts } = admission;
  const runAt = admission.delayMs === null ? admission.runAt : now + admission.delayMs;
  const core = newRun({ id, type, maxAttempts, position: null, runAt });
  yield* choosePosition(change, admission, core);
  const isFirst = core.position !== null && admission.onBusy === 'interrupt';
  const position = positionInLane(lane.runId, isFirst ? 0 : lane.queued);
  const firstSeq = lane.nextSeq;
  admit(change, core, admission.tick);
  return {
    run: toNewRun(admission, core, change, firstSeq),
    receipt: { id, lane: lane.id, state: core.state, position, known: false },
  };
}

const laneOf = (admission: Admission): string => admission.lane ?? admission.id;

function* openLanes(
  dialect: Dialect,
  now: number,
  admissions: readonly Admission[],
): Op<Map<string, LaneChange>> {
  const owners = new Map<string, string>();
  // The first admission to a new lane decides its owner.
  for (const one of admissions) if (!owners.has(laneOf(one))) owners.set(laneOf(one), one.owner);
  const ids = [...owners.keys()].sort();
  yield* dialect.ensureLanes(ids.map((id) => ({ id, owner: owners.get(id)! })));
  const lanes = yield* dialect.lockLanes(ids);
  // A lane was purged between the two statements.
  if (lanes.length < ids.length) throw new Again();
  return new Map(lanes.map((lane) => [lane.id, new LaneChange(lane, now)]));
}

/** Sets where the run joins the lane, after applying its `onBusy` (Q11). */
function* choosePosition(change: LaneChange, admission: Admission, core: RunCore): Op<void> {
  const { lane, now } = change;
  if (admission.onBusy === 'reject' && (lane.runId !== null || lane.queued > 0)) {
    throw new BatonError('lane_busy', undefined, { details: { lane: lane.id } });
  }
  if (core.runAt !== null && core.runAt > now) return;
  if (admission.onBusy !== 'interrupt') {
    core.position = tailPosition(change);
    return;
  }
  if (lane.runId !== null) {
    const begun = change.runs.get(lane.runId)?.run ?? (yield* readCore(lane.runId));
    if (begun !== null) cancel(change, begun, 'interrupt');
  }
  core.position = yield* headPosition(change);
}

function toNewRun(
  admission: Admission,
  core: RunCore,
  change: LaneChange,
  firstSeq: number,
): NewRun {
  return {
    core,
    lane: change.lane.id,
    owner: change.lane.owner,
    payload: admission.payload,
    retryOf: null,
    idemScope: admission.idempotencyKey === null ? null : scopeOf(admission),
    idemKey: admission.idempotencyKey,
    bodyHash: admission.bodyHash,
    kept: change.lane.kept,
    createdAt: change.now,
    firstSeq,
  };
}
