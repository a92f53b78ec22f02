import { isBatonError } from '../../../../contract/errors.ts';
import type { StatusChange } from '../../../../sessions/session-store.ts';
import { type Op, query } from '../../../statement.ts';
import { admitAtHead } from '../../admit-at-head.ts';
import { applyCommand } from '../../change.ts';
import { type Dialect, type Done, done, NO_HINT } from '../../dialect.ts';
import { applyTrigger, type Triggered } from '../apply-trigger.ts';
import { type LoadedSession, lockFreeSessions, lockSession, sessionOfRun } from '../load.ts';

/* Messages that no agent received become separate runs once their run accepts no more (Q11). */

export function* releaseSteers(
  dialect: Dialect,
  now: number,
  runId: string,
  fence: number,
): Op<Done<readonly StatusChange[]>> {
  const loaded = yield* lockSession(dialect, now, yield* sessionOfRun(runId));
  const { lane } = loaded.change;
  if (lane.runId !== runId || lane.fence !== fence) return { value: [], hint: NO_HINT };
  const waiting = yield* query<WaitingRow>(
    `SELECT ${COLUMNS} FROM steers t WHERE t.run_id = $1 AND t.state = 'waiting' ORDER BY t.seq DESC`,
    [runId],
  );
  if (waiting.length === 0) return { value: [], hint: NO_HINT };
  return done(yield* requeue(dialect, loaded, waiting), [loaded.change]);
}

const ENDED = `SELECT DISTINCT t.session_id AS id FROM steers t JOIN runs r ON r.id = t.run_id
  WHERE t.state = 'waiting' AND r.finished_at IS NOT NULL ORDER BY t.session_id LIMIT $1`;

const COLUMNS = 't.id, t.payload, t.sealed, t.max_attempts, t.idem_key, t.body_hash';

/**
 * Sessions are checked again under their locks. A session that another transaction has locked is
 * left to the next pass.
 */
export function* reconcileSteers(
  dialect: Dialect,
  now: number,
  limit: number,
): Op<Done<{ changes: readonly StatusChange[]; more: boolean }>> {
  const ended = yield* query<{ id: string }>(ENDED, [limit]);
  if (ended.length === 0) return done({ changes: [], more: false }, []);
  const ids = ended.map(({ id }) => id);
  const changes: StatusChange[] = [];
  const requeued: LoadedSession[] = [];
  for (const loaded of yield* lockFreeSessions(dialect, now, ids)) {
    const waiting = yield* query<WaitingRow>(
      `SELECT ${COLUMNS} FROM steers t JOIN runs r ON r.id = t.run_id
       WHERE t.session_id = $1 AND t.state = 'waiting' AND r.finished_at IS NOT NULL ORDER BY t.seq DESC`,
      [loaded.session.id],
    );
    if (waiting.length === 0) continue;
    changes.push(...(yield* requeue(dialect, loaded, waiting)));
    requeued.push(loaded);
  }
  const touched = requeued.map(({ change }) => change);
  return done({ changes, more: touched.length > 0 && ended.length >= limit }, touched);
}

interface WaitingRow {
  readonly id: string;
  readonly payload: string;
  readonly sealed: string | null;
  readonly max_attempts: number;
  readonly idem_key: string | null;
  readonly body_hash: string | null;
}

/** Takes the last message first, because each one goes to the head of the lane. */
function* requeue(
  dialect: Dialect,
  loaded: LoadedSession,
  lastFirst: readonly WaitingRow[],
): Op<readonly StatusChange[]> {
  const { change, facts } = loaded;
  const moved = wake(loaded);
  for (const row of lastFirst) {
    const { id, payload, sealed } = row;
    yield* admitAtHead(dialect, change, {
      id,
      type: 'agent',
      maxAttempts: row.max_attempts,
      payload,
      retryOf: null,
      idemKey: row.idem_key,
      bodyHash: row.body_hash,
    });
    if (sealed !== null) {
      yield* query('INSERT INTO originals (run_id, sealed) VALUES ($1, $2)', [id, sealed]);
    }
    yield* query(`UPDATE steers SET state = 'queued' WHERE id = $1`, [id]);
  }
  if (moved !== null) yield* dialect.saveSessions([moved.session]);
  yield* dialect.save([change]);
  if (moved !== null) return moved.changes;
  // Ending a session cancels its queued runs, so it also cancels these messages.
  for (const { id } of lastFirst) {
    yield* applyCommand(dialect, facts.now, { do: 'cancel', run: id, kind: 'stop' });
  }
  return [];
}

function wake(loaded: LoadedSession): Triggered | null {
  try {
    return applyTrigger(loaded, 'message');
  } catch (error) {
    if (!isBatonError(error, 'session_ended')) throw error;
    return null;
  }
}
