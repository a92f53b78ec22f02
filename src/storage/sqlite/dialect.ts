import { LaneChange } from '../../queue/machine/lane-change.ts';
import { type Holder, take } from '../../queue/machine/lane-machine.ts';
import type { ClaimedRun, ClaimRequest, LogCursor } from '../../queue/store.ts';
import type { CountDeltas, Dialect, LaneWithRun, NewLane, NewRun } from '../operations/dialect.ts';
import {
  NEW_LANE_VALUES,
  NEXT_RUN,
  newRunValues,
  RUN_INSERT,
  savedCounts,
  savedLane,
  savedRun,
} from '../operations/saving.ts';
import {
  CORE_COLUMNS,
  type CoreRow,
  EVENT_COLUMNS,
  type EventRow,
  LANE_COLUMNS,
  type LaneRow,
  RUN_COLUMNS,
  type RunRow,
  toCore,
  toLane,
  toRun,
} from '../rows.ts';
import { SESSION_COLUMN_NAMES, type StoredSession, sessionValues } from '../session-rows.ts';
import { type Op, query, queryOne } from '../statement.ts';
import { type ChosenLane, chooseLanes } from './choose-lanes.ts';
import type { Connection } from './connection.ts';

/**
 * The SQLite dialect. There is only one writer, so no row is locked, and one statement per row is
 * cheap because nothing goes over a network. `connection` is the connection that the operation runs
 * on.
 */
export function sqliteDialect(connection: Connection, clock: () => number): Dialect {
  return {
    oneOf: (column, n) => `${column} IN (SELECT value FROM json_each($${n}))`,
    list: (values) => JSON.stringify(values),
    // biome-ignore lint/correctness/useYield: the port is a generator; here the time needs no statement
    *readTime() {
      return clock();
    },
    *eventsAfterEach(cursors: readonly LogCursor[]) {
      const rows: EventRow[] = [];
      for (const { lane, after, limit } of cursors) {
        const page = yield* query<EventRow>(
          `SELECT ${EVENT_COLUMNS} FROM events WHERE lane = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
          [lane, after, limit],
        );
        rows.push(...page);
      }
      return rows;
    },
    *ensureLanes(lanes: readonly NewLane[]) {
      for (const { id, owner } of lanes) {
        yield* query(`INSERT INTO lanes VALUES (${NEW_LANE_VALUES}) ON CONFLICT (id) DO NOTHING`, [
          id,
          owner,
        ]);
      }
    },
    *lockLanes(ids: readonly string[]) {
      const lanes = [];
      for (const id of ids) {
        const row = yield* queryOne<LaneRow>(
          `SELECT ${LANE_COLUMNS} FROM lanes l WHERE l.id = $1`,
          [id],
        );
        if (row !== null) lanes.push(toLane(row));
      }
      return lanes;
    },
    *lockFreeLanes(ids: readonly string[]) {
      return yield* this.lockLanes(ids);
    },
    *lockBegun(ids: readonly string[]) {
      const begun: LaneWithRun[] = [];
      for (const id of ids) {
        const row = yield* queryOne<LaneRow & CoreRow>(
          `SELECT ${LANE_COLUMNS}, ${CORE_COLUMNS} FROM lanes l JOIN runs r ON r.id = l.run_id WHERE l.id = $1`,
          [id],
        );
        if (row !== null) begun.push({ lane: toLane(row), run: toCore(row) });
      }
      return begun;
    },
    *insertRuns(runs: readonly NewRun[]) {
      for (const run of runs) yield* query(RUN_INSERT, newRunValues(run));
    },
    *save(changes: readonly LaneChange[]) {
      const deltas: CountDeltas = {};
      for (const change of changes) {
        // Runs are saved first, because saving the lane reads its next run from them.
        for (const { run, from } of change.runs.values()) {
          if (from !== null) yield* query(UPDATE_RUN, savedRun(run, change.now));
          savedCounts(deltas, run, from);
        }
        yield* query(UPDATE_LANE, savedLane(change.lane));
        for (const event of change.events) {
          yield* query(INSERT_EVENT, [
            event.lane,
            event.seq,
            event.runId,
            event.attempt,
            event.type,
            JSON.stringify(event.payload),
            event.at,
          ]);
        }
      }
      yield* this.addCounts(deltas);
    },
    *saveSessions(sessions: readonly StoredSession[]) {
      for (const session of sessions) yield* query(UPDATE_SESSION, sessionValues(session));
    },
    *addCounts(deltas: CountDeltas): Op<void> {
      for (const [state, n] of Object.entries(deltas)) {
        if (n !== 0) yield* query('UPDATE run_counts SET n = n + $2 WHERE state = $1', [state, n]);
      }
    },
    // There is only one writer, so nothing else claims during this transaction.
    *lockClaims() {},
    *lockNode(id: string) {
      yield* query('SELECT id FROM nodes WHERE id = $1', [id]);
    },
    *claimLanes(request: ClaimRequest, time: number | null, upkeep: boolean) {
      const now = time ?? clock();
      const { host, take, ...rest } = chooseLanes(connection, request, now, upkeep);
      const holder = { nodeId: request.nodeId, host: host ?? '' };
      const claimed = take.length === 0 ? [] : yield* takeLanes(this, take, holder, now);
      return { ...rest, alive: host !== null, claimed };
    },
  };
}

function* takeLanes(
  dialect: Dialect,
  chosen: readonly ChosenLane[],
  node: Omit<Holder, 'fence'>,
  now: number,
): Op<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  const changes: LaneChange[] = [];
  for (const { lane, fence } of chosen) {
    const row = yield* queryOne<LaneRow & RunRow>(
      `SELECT ${LANE_COLUMNS}, ${RUN_COLUMNS} FROM lanes l JOIN runs r ON r.id = coalesce(l.run_id, ${NEXT_RUN('id')}) WHERE l.id = $1`,
      [lane],
    );
    const core = toCore(row!);
    const change = new LaneChange(toLane(row!), now);
    take(change, core, { ...node, fence });
    changes.push(change);
    const { state, attempts, nextRunAt } = core;
    claimed.push({
      run: { ...toRun(row!), state, attempts, nextRunAt, updatedAt: now },
      fence,
    });
  }
  yield* dialect.save(changes);
  return claimed;
}

const UPDATE_RUN = `UPDATE runs SET state = $2, attempts = $3, crashes = $4, position = $5, next_run_at = $6, started_at = $7,
  finished_at = $8, cancel_requested_at = $9, error_class = $10, error_message = $11, result = $12, committed = $13,
  last_seq = $14, updated_at = $15 WHERE id = $1`;

const UPDATE_LANE = `UPDATE lanes SET host = $2, state = $3, held = $4, run_id = $5,
  head_type = CASE WHEN $5 IS NULL THEN (SELECT type FROM runs WHERE lane = $1 AND position > $13 AND state = 'queued' ORDER BY position LIMIT 1) ELSE $6 END,
  queued = $7, ready_at = $8, fence = $9, node_id = $10, cancel = $11, answered_at = $12, last_position = $13,
  next_position = $14, next_seq = $15, last_write = $16 WHERE id = $1`;

const UPDATE_SESSION = `UPDATE sessions SET ${SESSION_COLUMN_NAMES.map((name, i) => `${name} = $${i + 1}`).join(', ')} WHERE id = $1`;

const INSERT_EVENT =
  'INSERT INTO events (lane, seq, run_id, attempt, type, payload, at) VALUES ($1, $2, $3, $4, $5, $6, $7)';
