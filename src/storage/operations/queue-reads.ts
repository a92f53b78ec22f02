import type { LogEvent } from '../../contract/event.ts';
import type { Lane } from '../../contract/lane.ts';
import type { NodeRecord } from '../../contract/node.ts';
import { type Run, RunState } from '../../contract/run.ts';
import type { Counts, LogCursor, RunFilter } from '../../queue/store.ts';
import {
  EVENT_COLUMNS,
  type EventRow,
  LANE_COLUMNS,
  type LaneRow,
  NODE_COLUMNS,
  type NodeRow,
  RUN_COLUMNS,
  type RunRow,
  toEvent,
  toLane,
  toNode,
  toRun,
} from '../rows.ts';
import { type Op, query, queryOne, type Value } from '../statement.ts';
import type { Dialect } from './dialect.ts';

export function* getLane(id: string): Op<Lane | null> {
  const row = yield* queryOne<LaneRow>(`SELECT ${LANE_COLUMNS} FROM lanes l WHERE l.id = $1`, [id]);
  return row === null ? null : toLane(row);
}

export function* list(dialect: Dialect, filter: RunFilter): Op<Run[]> {
  const where: string[] = [];
  const values: Value[] = [];
  const add = (value: Value): number => values.push(value);
  if (filter.lane !== undefined) where.push(`r.lane = $${add(filter.lane)}`);
  if (filter.after !== undefined)
    where.push(`r.id ${filter.newestFirst ? '<' : '>'} $${add(filter.after)}`);
  if (filter.states !== undefined)
    where.push(dialect.oneOf('r.state', add(dialect.list(filter.states))));
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const order = `ORDER BY r.id ${filter.newestFirst ? 'DESC' : ''}`;
  const ids = `SELECT r.id FROM runs r ${condition} ${order} LIMIT $${add(filter.limit)}`;
  const rows = yield* query<RunRow>(selectRuns(ids, order), values);
  return rows.map(toRun);
}

/**
 * Selects runs by their ids, which are chosen first, because SQLite would sort all candidates
 * together with their messages.
 */
export const selectRuns = (ids: string, order: string): string =>
  `SELECT ${RUN_COLUMNS} FROM runs r WHERE r.id IN (${ids}) ${order}`;

/** Queued runs by position, excluding a run that has begun and is queued again. */
export function* listQueued(lane: string, limit: number, after?: string): Op<Run[]> {
  const rows = yield* query<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs r JOIN lanes l ON l.id = r.lane
     WHERE r.lane = $1 AND r.state = 'queued' AND r.position > coalesce(
       (SELECT a.position FROM runs a WHERE a.id = $3 AND a.lane = $1 AND a.state = 'queued'),
       l.last_position)
     ORDER BY r.position LIMIT $2`,
    [lane, limit, after ?? null],
  );
  return rows.map(toRun);
}

export function* counts(): Op<Counts> {
  const rows = yield* query<{ state: RunState; n: number }>(
    'SELECT state, sum(n) AS n FROM run_counts GROUP BY state',
  );
  const all = Object.fromEntries(RunState.options.map((state) => [state, 0])) as Counts;
  for (const { state, n } of rows) all[state] = Number(n);
  return all;
}

export function* listAfter(
  lane: string,
  after: number,
  limit: number,
  runId?: string,
): Op<LogEvent[]> {
  const rows =
    runId === undefined
      ? yield* query<EventRow>(
          `SELECT ${EVENT_COLUMNS} FROM events WHERE lane = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
          [lane, after, limit],
          'events_after',
        )
      : yield* query<EventRow>(OF_RUN, [lane, after, limit, runId], 'events_of_run');
  return rows.map(toEvent);
}

/** Bounded by the run's first and last event, so the rest of a long log is not read. */
const OF_RUN = `SELECT ${EVENT_COLUMNS} FROM events WHERE lane = $1 AND seq > $2 AND run_id = $4
  AND seq >= coalesce((SELECT first_seq FROM runs WHERE id = $4), 0)
  AND seq <= coalesce((SELECT last_seq FROM runs WHERE id = $4), ${Number.MAX_SAFE_INTEGER})
  ORDER BY seq LIMIT $3`;

export function* listAfterEach(dialect: Dialect, cursors: readonly LogCursor[]): Op<LogEvent[]> {
  if (cursors.length === 0) return [];
  return (yield* dialect.eventsAfterEach(cursors)).map(toEvent);
}

export function* lastSeqs(dialect: Dialect, lanes: readonly string[]): Op<Map<string, number>> {
  if (lanes.length === 0) return new Map();
  const rows = yield* query<{ id: string; last: number }>(
    `SELECT id, next_seq - 1 AS last FROM lanes WHERE ${dialect.oneOf('id', 1)}`,
    [dialect.list(lanes)],
    'last_seqs',
  );
  return new Map(rows.map(({ id, last }) => [id, last]));
}

export function* listNodes(): Op<NodeRecord[]> {
  const rows = yield* query<NodeRow>(`SELECT ${NODE_COLUMNS} FROM nodes ORDER BY started_at, id`);
  return rows.map(toNode);
}

/** Types at the head of ready lanes that no live node handles. Needs one index descent per type. */
export function* unhandledTypes(dialect: Dialect): Op<string[]> {
  const now = yield* dialect.readTime();
  const nodes = yield* query<NodeRow>(`SELECT ${NODE_COLUMNS} FROM nodes WHERE lease_until > $1`, [
    now,
  ]);
  const handled = new Set(nodes.flatMap((row) => toNode(row).types));
  const unhandled: string[] = [];
  let after = '';
  for (;;) {
    const row = yield* queryOne<{ head_type: string }>(
      `SELECT head_type FROM lanes WHERE state = 'ready' AND held = 0 AND head_type > $1 ORDER BY head_type LIMIT 1`,
      [after],
    );
    if (row === null) return unhandled;
    after = row.head_type;
    if (!handled.has(after)) unhandled.push(after);
  }
}

/** Whether node `n` is a live worker at the time in $1. */
export const LIVE_WORKER = `n.lease_until > $1 AND n.roles LIKE '%"worker"%'`;

/** Whether the host whose id is in this column has no live worker at the time in $1. */
export const withoutWorker = (column: string): string =>
  `NOT EXISTS (SELECT 1 FROM nodes n WHERE n.host = ${column} AND ${LIVE_WORKER})`;

/** The readable name of the host whose id is in this column. */
export const nameOfHost = (column: string): string =>
  `coalesce((SELECT h.name FROM hosts h WHERE h.id = ${column}), ${column})`;

/** Hosts that have ready lanes but no live worker. Needs one index descent per type and host. */
export function* strandedHosts(dialect: Dialect): Op<string[]> {
  const now = yield* dialect.readTime();
  const nodes = yield* query<{ host: string }>(`SELECT n.host FROM nodes n WHERE ${LIVE_WORKER}`, [
    now,
  ]);
  const live = new Set(nodes.map(({ host }) => host));
  const stranded = new Set<string>();
  let [type, host] = ['', ''];
  for (;;) {
    const row: { head_type: string; host: string; name: string } | null = yield* queryOne(
      `SELECT head_type, host, ${nameOfHost('host')} AS name FROM lanes WHERE state = 'ready' AND held = 0 AND (head_type, host) > ($1, $2)
       ORDER BY head_type, host LIMIT 1`,
      [type, host],
    );
    if (row === null) return [...stranded].sort();
    [type, host] = [row.head_type, row.host];
    if (host !== '' && !live.has(host)) stranded.add(row.name);
  }
}
