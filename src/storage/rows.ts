import type { LogEvent } from '../contract/event.ts';
import type { CancelKind, Lane, LaneState } from '../contract/lane.ts';
import type { NodeRecord } from '../contract/node.ts';
import type { ErrorClass, Outcome } from '../contract/outcome.ts';
import type { Run, RunState } from '../contract/run.ts';
import type { Schedule } from '../contract/schedule.ts';
import type { Json } from '../contract/values/json.ts';
import type { RunCore } from '../queue/machine/lane-change.ts';

/*
 * Turns rows into the contract's objects. Statements name their columns: a prepared `SELECT *`
 * would fail on running nodes when a later version adds a column. Both databases have the same
 * columns: text, integers (for times in milliseconds, and flags as 0 or 1) and JSON as text.
 */

export interface LaneRow {
  id: string;
  owner: string;
  host: string;
  pin: number;
  hold_on_failure: number;
  kept: number;
  state: LaneState;
  held: number;
  run_id: string | null;
  head_type: string | null;
  queued: number;
  ready_at: number;
  fence: number;
  node_id: string | null;
  last_write: number;
  cancel: CancelKind | null;
  answered_at: number | null;
  next_position: number;
  last_position: number;
  next_seq: number;
}

export const LANE_COLUMNS = columns('l', [
  'id',
  'owner',
  'host',
  'pin',
  'hold_on_failure',
  'kept',
  'state',
  'held',
  'run_id',
  'head_type',
  'queued',
  'ready_at',
  'fence',
  'node_id',
  'last_write',
  'cancel',
  'answered_at',
  'next_position',
  'last_position',
  'next_seq',
]);

export function toLane(row: LaneRow): Lane {
  return {
    id: row.id,
    owner: row.owner,
    host: row.host === '' ? null : row.host,
    pin: row.pin !== 0,
    holdOnFailure: row.hold_on_failure !== 0,
    kept: row.kept !== 0,
    state: row.state,
    held: row.held !== 0,
    runId: row.run_id,
    headType: row.head_type,
    queued: row.queued,
    readyAt: row.ready_at,
    fence: row.fence,
    nodeId: row.node_id,
    lastWrite: row.last_write,
    cancel: row.cancel,
    answeredAt: row.answered_at,
    nextPosition: row.next_position,
    lastPosition: row.last_position,
    nextSeq: row.next_seq,
  };
}

/** The columns of a run that the machine reads. */
export interface CoreRow {
  r_id: string;
  r_lane: string;
  r_type: string;
  r_state: RunState;
  r_attempts: number;
  r_max_attempts: number;
  r_crashes: number;
  r_position: number | null;
  r_run_at: number | null;
  r_next_run_at: number | null;
  r_started_at: number | null;
  r_finished_at: number | null;
  r_cancel_requested_at: number | null;
  r_error_class: ErrorClass | null;
  r_error_message: string | null;
  r_result: string | null;
  r_committed: string | null;
  r_last_seq: number | null;
}

const CORE = [
  'id',
  'lane',
  'type',
  'state',
  'attempts',
  'max_attempts',
  'crashes',
  'position',
  'run_at',
  'next_run_at',
  'started_at',
  'finished_at',
  'cancel_requested_at',
  'error_class',
  'error_message',
  'result',
  'committed',
  'last_seq',
] as const;
export const CORE_COLUMNS = columns('r', CORE, 'r_');

export function toCore(row: CoreRow): RunCore {
  return {
    id: row.r_id,
    type: row.r_type,
    state: row.r_state,
    attempts: row.r_attempts,
    maxAttempts: row.r_max_attempts,
    crashes: row.r_crashes,
    position: row.r_position,
    runAt: row.r_run_at,
    nextRunAt: row.r_next_run_at,
    startedAt: row.r_started_at,
    finishedAt: row.r_finished_at,
    cancelRequestedAt: row.r_cancel_requested_at,
    error: toError(row),
    result: parse(row.r_result),
    committed: parse(row.r_committed) as Outcome | null,
    lastSeq: row.r_last_seq,
  };
}

export interface RunRow extends CoreRow {
  r_owner: string;
  r_payload: string;
  r_retry_of: string | null;
  r_idem_key: string | null;
  r_created_at: number;
  r_updated_at: number;
  r_first_seq: number;
}

export const RUN_COLUMNS = columns(
  'r',
  [...CORE, 'owner', 'payload', 'retry_of', 'idem_key', 'created_at', 'updated_at', 'first_seq'],
  'r_',
);

export function toRun(row: RunRow): Run {
  return {
    id: row.r_id,
    lane: row.r_lane,
    owner: row.r_owner,
    type: row.r_type,
    payload: parse(row.r_payload),
    state: row.r_state,
    attempts: row.r_attempts,
    maxAttempts: row.r_max_attempts,
    crashes: row.r_crashes,
    retryOf: row.r_retry_of,
    idempotencyKey: row.r_idem_key,
    createdAt: row.r_created_at,
    updatedAt: row.r_updated_at,
    runAt: row.r_run_at,
    nextRunAt: row.r_next_run_at,
    startedAt: row.r_started_at,
    finishedAt: row.r_finished_at,
    cancelRequestedAt: row.r_cancel_requested_at,
    error: toError(row),
    result: parse(row.r_result),
    firstSeq: row.r_first_seq,
    lastSeq: row.r_last_seq,
  };
}

export interface EventRow {
  lane: string;
  seq: number;
  run_id: string | null;
  attempt: number | null;
  type: string;
  payload: string;
  at: number;
}

export const EVENT_COLUMNS = 'lane, seq, run_id, attempt, type, payload, at';

export const toEvent = (row: EventRow): LogEvent => ({
  lane: row.lane,
  seq: row.seq,
  runId: row.run_id,
  attempt: row.attempt,
  type: row.type,
  payload: parse(row.payload),
  at: row.at,
});

export interface NodeRow {
  id: string;
  host: string;
  boot_id: string;
  pid_namespace: string;
  pid: number;
  pid_start: string;
  roles: string;
  types: string;
  capacity: number;
  version: string;
  lease_until: number;
  started_at: number;
  url: string | null;
}

export const NODE_COLUMNS =
  'id, host, boot_id, pid_namespace, pid, pid_start, roles, types, capacity, version, lease_until, started_at, url';

export const toNode = (row: NodeRow): NodeRecord => ({
  id: row.id,
  host: row.host,
  bootId: row.boot_id,
  pidNamespace: row.pid_namespace,
  pid: row.pid,
  pidStart: row.pid_start,
  roles: JSON.parse(row.roles) as NodeRecord['roles'],
  types: JSON.parse(row.types) as string[],
  capacity: row.capacity,
  version: row.version,
  leaseUntil: row.lease_until,
  startedAt: row.started_at,
  url: row.url,
});

export interface ScheduleRow {
  id: string;
  cron: string | null;
  timezone: string;
  at: number | null;
  type: string;
  payload: string;
  lane: string | null;
  owner: string;
  max_attempts: number;
  paused: number;
  next_at: number | null;
  last_at: number | null;
  last_run_id: string | null;
  version: string;
  created_at: number;
  updated_at: number;
}

export const toSchedule = (row: ScheduleRow): Schedule => ({
  id: row.id,
  cron: row.cron,
  timezone: row.timezone,
  at: row.at,
  type: row.type,
  payload: parse(row.payload),
  lane: row.lane,
  owner: row.owner,
  maxAttempts: row.max_attempts,
  paused: row.paused !== 0,
  nextAt: row.next_at,
  lastAt: row.last_at,
  lastRunId: row.last_run_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

function toError(row: CoreRow): Run['error'] {
  return row.r_error_class === null
    ? null
    : { class: row.r_error_class, message: row.r_error_message ?? '' };
}

function parse(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}

function columns(table: string, names: readonly string[], prefix = ''): string {
  return names
    .map((name) => `${table}.${name}${prefix === '' ? '' : ` AS ${prefix}${name}`}`)
    .join(', ');
}
