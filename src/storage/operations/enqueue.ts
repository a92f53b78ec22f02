import { BatonError } from '../../contract/errors.ts';
import type { RunState } from '../../contract/run.ts';
import { LaneChange, type RunCore } from '../../queue/machine/lane-change.ts';
import { admit, cancel } from '../../queue/machine/lane-machine.ts';
import { newRun } from '../../queue/machine/new-run.ts';
import type { Admission, Receipt } from '../../queue/store.ts';
import { type Op, query, queryOne } from '../statement.ts';
import { Again, type Dialect, type Done, done, type NewRun } from './dialect.ts';
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
      const known = yield* findKnown(admission, changes);
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
  const before = lane.runId === null ? 0 : 1;
  const firstSeq = lane.nextSeq;
  admit(change, core, admission.tick);
  const ahead = admission.onBusy === 'interrupt' ? 0 : lane.queued - 1;
  const position = before + (core.position === null ? lane.queued : ahead);
  return {
    run: toNewRun(admission, core, change, firstSeq),
    receipt: { id, lane: lane.id, state: core.state, position, known: false },
  };
}

const laneOf = (admission: Admission): string => admission.lane ?? admission.id;
const scopeOf = (admission: Admission): string => admission.lane ?? '';

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
  // Purged between the two statements.
  if (lanes.length < ids.length) throw new Again();
  return new Map(lanes.map((lane) => [lane.id, new LaneChange(lane, now)]));
}

function* findKnown(
  admission: Admission,
  changes: ReadonlyMap<string, LaneChange>,
): Op<Receipt | null> {
  const known = yield* queryOne<KnownRun>(
    'SELECT id, lane, state, body_hash FROM runs WHERE idem_scope = $1 AND idem_key = $2',
    [scopeOf(admission), admission.idempotencyKey],
  );
  return known && (yield* knownReceipt(known, admission, changes.get(known.lane)));
}

/** A run that already has the key. */
export interface KnownRun {
  readonly id: string;
  readonly lane: string;
  readonly state: RunState;
  readonly body_hash: string | null;
}

/**
 * The same key gets the same run, or is refused if the body differs (Q10). The effects of earlier
 * admissions in this call are not saved yet, so they are read from the change.
 */
export function* knownReceipt(
  known: KnownRun,
  { bodyHash }: Admission,
  change: LaneChange | undefined,
): Op<Receipt> {
  const { id, lane } = known;
  if (known.body_hash !== bodyHash) throw keyConflict(id);
  const state = change?.runs.get(id)?.run.state ?? known.state;
  const position = state === 'queued' ? yield* runsBefore(id, change) : 0;
  return { id, lane, state, position, known: true };
}

export const keyConflict = (runId: string): BatonError =>
  new BatonError('idempotency_conflict', undefined, { details: { runId } });

/** How many runs in its lane come before a queued run, including the begun one. */
function* runsBefore(id: string, change: LaneChange | undefined): Op<number> {
  const row = yield* queryOne<{ begun: string | null; queued: number }>(
    `SELECT l.run_id AS begun, (SELECT count(*) FROM runs q WHERE q.lane = r.lane AND q.position > l.last_position AND q.state = 'queued'
        AND (r.position IS NULL OR q.position < r.position)) AS queued
     FROM runs r JOIN lanes l ON l.id = r.lane WHERE r.id = $1`,
    [id],
  );
  const begun = change === undefined ? row!.begun : change.lane.runId;
  return (begun === null || begun === id ? 0 : 1) + row!.queued;
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
