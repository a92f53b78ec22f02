import type { Lane } from '../../contract/lane.ts';
import type { RunState } from '../../contract/run.ts';
import type { RunCore } from '../../queue/machine/lane-change.ts';
import { POSITION_STEP } from '../../queue/machine/position.ts';
import type { CountDeltas, NewRun } from './dialect.ts';

/* The values of lanes and runs that both databases write, in the same order. */

type Scalar = string | number | null;

/** The values of a new lane in the order of the table's columns: $1 its id, $2 its owner. */
export const NEW_LANE_VALUES = `$1, $2, '', 0, 0, 0, 'idle', 0, NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL, ${POSITION_STEP}, 0, 1`;

/**
 * A column of the first queued run of lane `l`. Runs before `last_position` have begun or ended.
 */
export const NEXT_RUN = (column: string): string =>
  `(SELECT q.${column} FROM runs q WHERE q.lane = l.id AND q.position > l.last_position AND q.state = 'queued' ORDER BY q.position LIMIT 1)`;

export const savedLane = (lane: Lane): Scalar[] => [
  lane.id,
  lane.host ?? '',
  lane.state,
  Number(lane.held),
  lane.runId,
  lane.headType,
  lane.queued,
  lane.readyAt,
  lane.fence,
  lane.nodeId,
  lane.cancel,
  lane.answeredAt,
  lane.lastPosition,
  lane.nextPosition,
  lane.nextSeq,
  lane.lastWrite,
];

export const savedRun = (run: RunCore, now: number): Scalar[] => [
  run.id,
  run.state,
  run.attempts,
  run.crashes,
  run.position,
  run.nextRunAt,
  run.startedAt,
  run.finishedAt,
  run.cancelRequestedAt,
  run.error?.class ?? null,
  plain(run.error?.message ?? null),
  json(run.result),
  json(run.committed),
  run.lastSeq,
  now,
];

const NEW_RUN_COLUMNS = [
  'id',
  'lane',
  'owner',
  'type',
  'payload',
  'state',
  'attempts',
  'max_attempts',
  'crashes',
  'position',
  'retry_of',
  'idem_scope',
  'idem_key',
  'body_hash',
  'kept',
  'created_at',
  'updated_at',
  'run_at',
  'first_seq',
] as const;
export const RUN_INSERT_INTO = `INSERT INTO runs (${NEW_RUN_COLUMNS.join(', ')})`;
export const RUN_INSERT = `${RUN_INSERT_INTO} VALUES (${NEW_RUN_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})`;

export const newRunValues = (run: NewRun): Scalar[] => [
  run.core.id,
  run.lane,
  run.owner,
  run.core.type,
  run.payload,
  run.core.state,
  run.core.attempts,
  run.core.maxAttempts,
  run.core.crashes,
  run.core.position,
  run.retryOf,
  run.idemScope,
  run.idemKey,
  run.bodyHash,
  Number(run.kept),
  run.createdAt,
  run.createdAt,
  run.core.runAt,
  run.firstSeq,
];

export function savedCounts(deltas: CountDeltas, run: RunCore, from: RunState | null): void {
  if (from === run.state) return;
  deltas[run.state] = (deltas[run.state] ?? 0) + 1;
  if (from !== null) deltas[from] = (deltas[from] ?? 0) - 1;
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/**
 * Replaces NUL, which PostgreSQL cannot store as text. That does no harm, because only people read
 * messages.
 */
const plain = (text: string | null): string | null => text?.replaceAll('\u0000', '\uFFFD') ?? null;
