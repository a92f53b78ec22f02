import { BatonError } from '../../contract/errors.ts';
import { mustHaveSameBody } from '../machine/known-key.ts';
import type { LaneChange } from '../machine/lane-change.ts';
import * as machine from '../machine/lane-machine.ts';
import { newRun } from '../machine/new-run.ts';
import { positionInLane } from '../machine/position.ts';
import type { Admission, Receipt } from '../store.ts';
import { headPosition, tailPosition } from './positions.ts';
import type { LaneRecord, RunRecord } from './records.ts';
import { coreIn, type Tables } from './tables.ts';

/** Lane names contain no control characters, so the two parts stay distinct. */
const keyOf = (scope: string, key: string): string => `${scope}\n${key}`;

/** Admits all or none: everything that can be refused is checked before anything changes. */
export function enqueue(tables: Tables, admissions: readonly Admission[]): Receipt[] {
  check(tables, admissions);
  const now = tables.clock();
  return admissions.map((admission) => {
    const known = findKnown(tables, admission);
    if (known !== undefined) return receiptOf(known);
    const lane = tables.openLane(admission.lane ?? admission.id, admission.owner);
    const runAt = timeOf(admission, now);
    const later = waits(runAt, now);
    const interrupts = admission.onBusy === 'interrupt' && !later;
    const change = tables.change(lane, now);
    if (interrupts && lane.begun !== null) {
      machine.cancel(change, coreIn(change, lane.begun), 'interrupt');
    }
    const before = interrupts ? 0 : change.lane.queued;
    const ahead = positionInLane(change.lane.runId, before);
    const position = later ? null : interrupts ? headPosition(lane, change) : tailPosition(change);
    admit(tables, change, lane, admission, { runAt, position, retryOf: null });
    return {
      id: admission.id,
      lane: lane.row.id,
      state: 'queued',
      position: ahead,
      known: false,
    };
  });
}

type NewRun = Pick<
  Admission,
  'id' | 'type' | 'payload' | 'maxAttempts' | 'lane' | 'idempotencyKey' | 'bodyHash' | 'tick'
>;

interface Joining {
  readonly runAt: number | null;
  readonly position: number | null;
  readonly retryOf: string | null;
}

/** Adds a new run to its lane. */
export function admit(
  tables: Tables,
  change: LaneChange,
  lane: LaneRecord,
  run: NewRun,
  { runAt, position, retryOf }: Joining,
): RunRecord {
  const { id, type, maxAttempts } = run;
  const core = newRun({ id, type, maxAttempts, position, runAt });
  const record: RunRecord = {
    slot: -1,
    core,
    lane,
    owner: change.lane.owner,
    payload: run.payload,
    retryOf,
    idempotencyKey: run.idempotencyKey,
    key: run.idempotencyKey === null ? null : keyOf(run.lane ?? '', run.idempotencyKey),
    bodyHash: run.bodyHash,
    createdAt: change.now,
    updatedAt: change.now,
    firstSeq: change.lane.nextSeq,
  };
  machine.admit(change, core, run.tick);
  tables.commit(lane, change, record);
  return record;
}

export function mustBeNew(tables: Tables, id: string): void {
  // Ids increase with time, so an id greater than the last one must be new; no map lookup is
  // needed.
  const last = tables.runIds.last;
  if (last === undefined || id > last || !tables.runs.has(id)) return;
  throw new BatonError('invalid_request', `Run ${id} already exists.`);
}

/** Checks the admissions in order, and throws the error of the first that would be refused. */
function check(tables: Tables, admissions: readonly Admission[]): void {
  if (admissions.length === 1) {
    checkOne(tables, admissions[0] as Admission, undefined, false);
    return;
  }
  mustDiffer(admissions);
  const keys = new Map<string, Admission>();
  const joined = new Set<string>();
  const now = tables.clock();
  for (const admission of admissions) {
    const { idempotencyKey, lane } = admission;
    const key = idempotencyKey === null ? null : keyOf(lane ?? '', idempotencyKey);
    const same = key === null ? undefined : keys.get(key);
    const known = checkOne(tables, admission, same, lane !== null && joined.has(lane));
    if (known) continue;
    if (key !== null) keys.set(key, admission);
    if (lane !== null && !waits(timeOf(admission, now), now)) joined.add(lane);
  }
}

/**
 * Ids generated in sequence increase; a set is needed only for ids that arrive in a different
 * order.
 */
function mustDiffer(admissions: readonly Admission[]): void {
  let last = '';
  const rising = admissions.every(({ id }) => {
    const rises = id > last;
    last = id;
    return rises;
  });
  if (rising) return;
  const ids = new Set<string>();
  for (const { id } of admissions) {
    if (ids.has(id)) throw new BatonError('invalid_request', `Two runs have the id ${id}.`);
    ids.add(id);
  }
}

/**
 * Returns whether the run's key is already known. `same` is an earlier admission in this call with
 * that key; `joined` means that an earlier admission in this call joins the lane.
 */
function checkOne(
  tables: Tables,
  admission: Admission,
  same: Admission | undefined,
  joined: boolean,
): boolean {
  const stored = findKnown(tables, admission);
  const known = stored === undefined ? same : { id: stored.core.id, bodyHash: stored.bodyHash };
  if (known !== undefined) {
    mustHaveSameBody(known.id, known.bodyHash, admission.bodyHash);
    return true;
  }
  mustBeNew(tables, admission.id);
  if (admission.onBusy !== 'reject' || admission.lane === null) return false;
  const row = tables.lanes.get(admission.lane)?.row;
  const busy = row !== undefined && (row.runId !== null || row.queued > 0);
  if (busy || joined) throw new BatonError('lane_busy');
  return false;
}

/** When the run should join its lane; null means now. */
const timeOf = ({ delayMs, runAt }: Admission, now: number): number | null =>
  delayMs === null ? runAt : now + delayMs;

const waits = (runAt: number | null, now: number): boolean => runAt !== null && runAt > now;

/** `findByKey` of storage/operations/known-key.ts, in memory. */
function findKnown(tables: Tables, admission: Admission): RunRecord | undefined {
  return admission.idempotencyKey === null
    ? undefined
    : tables.keys.get(keyOf(admission.lane ?? '', admission.idempotencyKey));
}

function receiptOf(record: RunRecord): Receipt {
  const { core, lane } = record;
  let position = 0;
  if (core.state === 'queued') {
    const before =
      core.position === null ? lane.row.queued : (lane.queue?.indexFrom(core.position) ?? 0);
    position = positionInLane(lane.row.runId, before, core.id);
  }
  return { id: core.id, lane: lane.row.id, state: core.state, position, known: true };
}
