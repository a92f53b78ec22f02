import type { LogEvent } from '../../contract/event.ts';
import type { Lane } from '../../contract/lane.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import type { Json } from '../../contract/values/json.ts';
import type { RunCore } from '../machine/lane-change.ts';
import type { Slotted } from './heap.ts';
import type { LaneQueue } from './lane-queue.ts';

/*
 * The stored records. Callers never share the records: objects are copied on the way in and out, so
 * changing an object afterwards does not change the stored data.
 */

export interface LaneRecord extends Slotted {
  row: Lane;
  /** The run that `row.runId` names. */
  begun: RunRecord | null;
  /** The lane's queued runs; null until there is one. */
  queue: LaneQueue | null;
  /** All of the lane's stored runs. */
  runs: RunRecord[];
  log: LogEvent[];
  /** When the lane's last run was removed, if it has no runs now. */
  emptySince: number | null;
}

export interface RunRecord extends Slotted {
  core: RunCore;
  readonly lane: LaneRecord;
  readonly owner: string;
  /** JSON text, parsed on read. */
  payload: string;
  readonly retryOf: string | null;
  readonly idempotencyKey: string | null;
  /** The idempotency key with its scope, as used in `Tables.keys`. */
  readonly key: string | null;
  readonly bodyHash: string | null;
  readonly createdAt: number;
  updatedAt: number;
  readonly firstSeq: number;
}

export function toRun(record: RunRecord): Run {
  const { core } = record;
  return {
    id: core.id,
    lane: record.lane.row.id,
    owner: record.owner,
    type: core.type,
    payload: JSON.parse(record.payload) as Json,
    state: core.state,
    attempts: core.attempts,
    maxAttempts: core.maxAttempts,
    crashes: core.crashes,
    retryOf: record.retryOf,
    idempotencyKey: record.idempotencyKey,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    runAt: core.runAt,
    nextRunAt: core.nextRunAt,
    startedAt: core.startedAt,
    finishedAt: core.finishedAt,
    cancelRequestedAt: core.cancelRequestedAt,
    error: core.error === null ? null : { ...core.error },
    result: copyJson(core.result),
    firstSeq: record.firstSeq,
    lastSeq: core.lastSeq,
  };
}

/** Copies a value through JSON text, so that the copy is what a database would return. */
export function copyJson(value: Json): Json {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' || typeof value === 'boolean'
    ? value
    : (JSON.parse(JSON.stringify(value)) as Json);
}

export const copyEvent = <E extends { readonly payload: Json }>(event: E): E => ({
  ...event,
  payload: copyJson(event.payload),
});

export function copyOutcome(outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'succeeded', result: copyJson(outcome.result) };
    case 'failed':
    case 'parked':
      return { ...outcome, error: { ...outcome.error } };
    default:
      return { ...outcome };
  }
}
