import { BatonError } from '../../contract/errors.ts';
import type { LaneChange, RunCore } from '../lane-change.ts';
import * as machine from '../lane-machine.ts';
import type { Admission, Receipt } from '../store.ts';
import { headPlace, lastPlace } from './places.ts';
import type { LaneRecord, RunRecord } from './records.ts';
import { coreIn, type Tables } from './tables.ts';

/** Lane names have no control characters, so the two parts cannot run into each other. */
const keyOf = (scope: string, key: string): string => `${scope}\n${key}`;

/** Admits all or none: everything that can be refused is looked at before anything changes. */
export function enqueue(tables: Tables, admissions: readonly Admission[]): Receipt[] {
  check(tables, admissions);
  const now = tables.clock();
  return admissions.map((admission) => {
    const known = findKnown(tables, admission);
    if (known !== undefined) return receiptOf(known);
    const lane = tables.openLane(admission.lane ?? admission.id, admission.owner);
    const runAt = admission.runAt ?? (admission.delayMs === null ? null : now + admission.delayMs);
    const waits = runAt !== null && runAt > now;
    const interrupts = admission.onBusy === 'interrupt' && !waits;
    const change = tables.change(lane, now);
    if (interrupts && lane.row.runId !== null) {
      const begun = tables.runs.get(lane.row.runId) as RunRecord;
      machine.cancel(change, coreIn(change, begun), 'interrupt');
    }
    const ahead = (change.lane.runId === null ? 0 : 1) + (interrupts ? 0 : change.lane.queued);
    const place = waits ? null : interrupts ? headPlace(lane, change) : lastPlace(change);
    const record = admit(tables, change, lane, { ...admission, runAt, place, retryOf: null });
    return {
      id: record.core.id,
      lane: lane.row.id,
      state: 'queued',
      position: ahead,
      known: false,
    };
  });
}

type NewRun = Pick<Admission, 'id' | 'type' | 'payload' | 'maxAttempts' | 'runAt'> &
  Pick<Admission, 'lane' | 'idempotencyKey' | 'bodyHash'> & {
    readonly place: number | null;
    readonly retryOf: string | null;
  };

/** Writes a new run into its lane. */
export function admit(
  tables: Tables,
  change: LaneChange,
  lane: LaneRecord,
  run: NewRun,
): RunRecord {
  const core: RunCore = {
    id: run.id,
    type: run.type,
    state: 'queued',
    attempts: 0,
    maxAttempts: run.maxAttempts,
    crashes: 0,
    position: run.place,
    runAt: run.runAt,
    nextRunAt: null,
    startedAt: null,
    finishedAt: null,
    cancelRequestedAt: null,
    error: null,
    result: null,
    settled: null,
    lastSeq: null,
  };
  const record: RunRecord = {
    slot: -1,
    core,
    lane,
    owner: change.lane.owner,
    payload: run.payload,
    retryOf: run.retryOf,
    idempotencyKey: run.idempotencyKey,
    key: run.idempotencyKey === null ? null : keyOf(run.lane ?? '', run.idempotencyKey),
    bodyHash: run.bodyHash,
    createdAt: change.now,
    updatedAt: change.now,
    firstSeq: change.lane.nextSeq,
  };
  machine.admit(change, core);
  tables.commit(change, record);
  return record;
}

export function mustBeNew(tables: Tables, id: string): void {
  if (tables.runs.has(id)) throw new BatonError('invalid_request', `There is a run ${id} already.`);
}

function check(tables: Tables, admissions: readonly Admission[]): void {
  if (admissions.length === 1) {
    checkOne(tables, admissions[0] as Admission, undefined, false);
    return;
  }
  const keys = new Map<string, Admission>();
  const ids = new Set<string>();
  const lanes = new Set<string>();
  for (const admission of admissions) {
    if (ids.has(admission.id)) {
      throw new BatonError('invalid_request', `Two runs have the id ${admission.id}.`);
    }
    ids.add(admission.id);
    const { idempotencyKey: key, lane } = admission;
    const same = key === null ? undefined : keys.get(keyOf(lane ?? '', key));
    checkOne(tables, admission, same, lane !== null && lanes.has(lane));
    if (key !== null) keys.set(keyOf(lane ?? '', key), admission);
    if (lane !== null) lanes.add(lane);
  }
}

/** `same` is an earlier admission of this call with the same key; `joined`, that one joined the lane. */
function checkOne(
  tables: Tables,
  admission: Admission,
  same: Admission | undefined,
  joined: boolean,
): void {
  const known = findKnown(tables, admission) ?? same;
  if (known !== undefined) {
    if (known.bodyHash !== admission.bodyHash) throw new BatonError('idempotency_conflict');
    return;
  }
  mustBeNew(tables, admission.id);
  if (admission.onBusy !== 'reject' || admission.lane === null) return;
  const row = tables.lanes.get(admission.lane)?.row;
  const busy = row !== undefined && (row.runId !== null || row.queued > 0);
  if (busy || joined) throw new BatonError('lane_busy');
}

function findKnown(tables: Tables, admission: Admission): RunRecord | undefined {
  return admission.idempotencyKey === null
    ? undefined
    : tables.keys.get(keyOf(admission.lane ?? '', admission.idempotencyKey));
}

function receiptOf(record: RunRecord): Receipt {
  const { core, lane } = record;
  let position = 0;
  if (core.state === 'queued' && lane.row.runId !== core.id) {
    position = lane.row.runId === null ? 0 : 1;
    position +=
      core.position === null ? lane.row.queued : (lane.queue?.indexFrom(core.position) ?? 0);
  }
  return { id: core.id, lane: lane.row.id, state: core.state, position, known: true };
}
