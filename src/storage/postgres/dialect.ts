import type { LaneChange } from '../../queue/machine/lane-change.ts';
import type { AttemptWrite, ClaimRequest, Clock, LogCursor } from '../../queue/store.ts';
import type { ClaimResult, CountDeltas, Dialect, NewLane, NewRun } from '../operations/dialect.ts';
import { NEW_LANE_VALUES, newRunValues } from '../operations/saving.ts';
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
import { type StoredSession, sessionValues } from '../session-rows.ts';
import { type Op, query } from '../statement.ts';
import { FINISH, finishing, finishValues } from './finish.ts';
import { NOW } from './run.ts';
import { INSERT_RUNS, SAVE, saveValues, transpose } from './save.ts';
import { SAVE_SESSIONS, SESSION_WIDTH } from './save-sessions.ts';

/** The PostgreSQL dialect: rows are locked one by one, and one statement writes many rows. */
export function postgresDialect(clock: Clock | undefined): Dialect {
  return {
    oneOf: (column, n) => `${column} = ANY($${n}::text[])`,
    list: (values) => values,
    *readTime() {
      const [row] = yield* query<{ now: number }>(`SELECT ${NOW} AS now`);
      return clock === undefined ? row!.now : clock();
    },
    *eventsAfterEach(cursors: readonly LogCursor[]) {
      return yield* query<EventRow>(
        `SELECT e.* FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS c(lane, after, n, i)
         CROSS JOIN LATERAL (SELECT ${EVENT_COLUMNS} FROM events WHERE lane = c.lane AND seq > c.after ORDER BY seq LIMIT c.n) e
         ORDER BY c.i, e.seq`,
        [
          cursors.map(({ lane }) => lane),
          cursors.map(({ after }) => after),
          cursors.map(({ limit }) => limit),
        ],
        'events_after_each',
      );
    },
    *ensureLanes(lanes: readonly NewLane[]) {
      const values = NEW_LANE_VALUES.replace('$1, $2', 'n.id, n.owner');
      yield* query(
        `INSERT INTO lanes SELECT ${values} FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n(id, owner, i) ORDER BY n.i ON CONFLICT (id) DO NOTHING`,
        [lanes.map(({ id }) => id), lanes.map(({ owner }) => owner)],
        'ensure_lanes',
      );
    },
    *lockLanes(ids: readonly string[]) {
      const rows = yield* query<LaneRow>(
        `SELECT ${LANE_COLUMNS} FROM lanes l WHERE l.id = ANY($1::text[]) ORDER BY l.id FOR UPDATE`,
        [ids],
        'lock_lanes',
      );
      return rows.map(toLane);
    },
    *lockFreeLanes(ids: readonly string[]) {
      const rows = yield* query<LaneRow>(
        `SELECT ${LANE_COLUMNS} FROM lanes l WHERE l.id = ANY($1::text[]) ORDER BY l.id FOR UPDATE SKIP LOCKED`,
        [ids],
        'lock_free_lanes',
      );
      return rows.map(toLane);
    },
    *lockBegun(ids: readonly string[]) {
      // Also locks the run's row: the run may change while this waits for the lane's lock, and
      // without a lock the joined row would be the version from before the wait.
      const rows = yield* query<LaneRow & CoreRow>(
        `SELECT ${LANE_COLUMNS}, ${CORE_COLUMNS} FROM lanes l JOIN runs r ON r.id = l.run_id
         WHERE l.id = ANY($1::text[]) ORDER BY l.id FOR UPDATE OF l, r`,
        [ids],
        'lock_begun',
      );
      return rows.map((row) => ({ lane: toLane(row), run: toCore(row) }));
    },
    *finish(writes: readonly AttemptWrite[], now: number) {
      const plain = finishing(writes);
      if (plain.length === 0) return new Set<string>();
      const rows = yield* query<{ lane: string }>(FINISH, finishValues(plain, now), 'finish');
      return new Set(rows.map(({ lane }) => lane));
    },
    *insertRuns(runs: readonly NewRun[]) {
      yield* query(INSERT_RUNS, transpose(runs.map(newRunValues), 19), 'insert_runs');
    },
    *save(changes: readonly LaneChange[]) {
      // The statement sees a lane's next run as it was when the statement began, so if the queue
      // itself changed, a separate statement saves the runs first.
      const runsFirst = changes.some(
        ({ lane, runs }) =>
          lane.runId === null && [...runs.values()].some(({ from }) => from === 'queued'),
      );
      if (runsFirst) {
        yield* query(SAVE, saveValues(changes, { lanes: false, runs: true }), 'save');
        yield* query(SAVE, saveValues(changes, { lanes: true, runs: false }), 'save');
      } else {
        yield* query(SAVE, saveValues(changes, { lanes: true, runs: true }), 'save');
      }
    },
    *saveSessions(sessions: readonly StoredSession[]) {
      yield* query(
        SAVE_SESSIONS,
        transpose(sessions.map(sessionValues), SESSION_WIDTH),
        'save_sessions',
      );
    },
    *addCounts(deltas: CountDeltas): Op<void> {
      const entries = Object.entries(deltas).filter(([, n]) => n !== 0);
      if (entries.length === 0) return;
      yield* query('INSERT INTO run_counts SELECT * FROM unnest($1::text[], $2::bigint[])', [
        entries.map(([state]) => state),
        entries.map(([, n]) => n),
      ]);
    },
    *lockClaims() {
      // The lock that `claim_runs` takes.
      yield* query(
        `SELECT pg_advisory_xact_lock(hashtext('baton claim'), hashtext(current_schema()))`,
      );
    },
    *lockNode(id: string) {
      yield* query('SELECT id FROM nodes WHERE id = $1 FOR UPDATE', [id]);
    },
    *claimLanes(request: ClaimRequest, now: number | null, upkeep: boolean): Op<ClaimResult> {
      const { types, caps } = request;
      const rows = yield* query<{ kind: string; id: string; fence: number } & RunRow>(
        CLAIM,
        [
          request.nodeId,
          types,
          types.map((type) => (Object.hasOwn(caps.types, type) ? caps.types[type]! : -1)),
          caps.perOwner,
          request.limit,
          now,
          upkeep ? 'true' : 'false',
        ],
        'claim',
      );
      const of = (kind: string): string[] =>
        rows.filter((row) => row.kind === kind).map(({ id }) => id);
      return {
        alive: rows.length > 0,
        due: of('due'),
        delayed: of('delayed'),
        answered: of('answered'),
        left: of('left').length > 0,
        claimed: rows
          .filter(({ kind }) => kind === 'run')
          .map((row) => ({ run: toRun(row), fence: row.fence })),
      };
    },
  };
}

const CLAIM = `SELECT c.kind, c.id, c.fence, ${RUN_COLUMNS}
  FROM claim_runs($1, $2::text[], $3::bigint[], $4, $5, $6, $7::boolean) AS c CROSS JOIN LATERAL (SELECT (c.run).*) AS r`;
