import { BatonError, isBatonError } from '../../../contract/errors.ts';
import type { Run } from '../../../contract/run.ts';
import type { LaneChange } from '../../../queue/machine/lane-change.ts';
import type { Admission } from '../../../queue/store.ts';
import type { Changed, RunEdit, SendRequest, Sent } from '../../../sessions/session-store.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import { applyCommand } from '../change.ts';
import { type Dialect, type Done, done, mergeHints, NO_HINT } from '../dialect.ts';
import { admitTo } from '../enqueue.ts';
import { knownReceipt } from '../known-key.ts';
import { readRun } from '../load.ts';
import { applyTrigger, saveTriggered, type Triggered } from './apply-trigger.ts';
import { putAttachments } from './attachments.ts';
import { type LoadedSession, lockSession, noSession, readSession, sessionOfRun } from './load.ts';

/**
 * Admits a message to a session's lane and updates the session's status, in one transaction. On
 * PostgreSQL most messages take one statement instead (`admit_message`); if you change one, change
 * the other.
 */
export function* sendMessage(
  dialect: Dialect,
  now: number,
  { sessionId, userId, admission: given, original, attachments = [], queueMax }: SendRequest,
): Op<Done<Sent>> {
  const admission = { ...given, lane: sessionId };
  const loaded = yield* lockSession(dialect, now, sessionId);
  if (userId !== undefined) yield* mustOperate(loaded, userId);
  const known = yield* knownReceipt(admission, () => loaded.change);
  if (known !== null) {
    return { value: { receipt: known, changes: [] }, hint: NO_HINT, changed: false };
  }
  const { change } = loaded;
  const { session, changes } = wake(loaded);
  mustHaveRoom(loaded, queueMax);
  const { run, receipt } = yield* admit(change, admission);
  yield* dialect.saveSessions([session]);
  yield* dialect.insertRuns([run]);
  yield* dialect.save([change]);
  if (original !== null) yield* putOriginal(receipt.id, original);
  yield* putAttachments(receipt.id, attachments);
  return done({ receipt, changes }, [change]);
}

/**
 * For a user who neither owns the session nor may operate it through a share, the session does not
 * exist.
 */
function* mustOperate({ session }: LoadedSession, userId: string): Op<void> {
  if (session.ownerId === userId) return;
  const share = yield* queryOne(
    `SELECT level FROM shares WHERE session_id = $1 AND user_id = $2 AND level = 'operate'`,
    [session.id, userId],
  );
  if (share === null) throw noSession(session.id);
}

function* mustBeEnabled(userId: string, runId: string): Op<void> {
  const user = yield* queryOne('SELECT id FROM users WHERE id = $1 AND disabled_at IS NULL', [
    userId,
  ]);
  if (user === null) throw new BatonError('not_found', `There is no run ${runId}.`);
}

/** Wakes or reopens the session, or throws because it has ended (S5). Not stored yet. */
function wake(loaded: LoadedSession): Triggered {
  const { now } = loaded.facts;
  const { session, changes } = applyTrigger(loaded, 'message');
  return {
    session: { ...session, lastActiveAt: now, archivedAt: null, updatedAt: now },
    changes,
  };
}

/** `steers` is the number of messages that are waiting for the working agent. */
export function mustHaveRoom({ change, facts }: LoadedSession, most: number, steers = 0): void {
  const queued = facts.unfinishedRuns - (change.lane.runId === null ? 0 : 1) + steers;
  if (queued >= most) throw new BatonError('queue_full', undefined, { details: { queued, most } });
}

function* admit(change: LaneChange, admission: Admission): ReturnType<typeof admitTo> {
  try {
    return yield* admitTo(change, admission);
  } catch (error) {
    if (!isBatonError(error, 'lane_busy')) throw error;
    throw new BatonError('session_busy', undefined, { details: { sessionId: admission.lane } });
  }
}

/** Changes the message, the position, or both, in that order. */
export function* editRun(
  dialect: Dialect,
  now: number,
  runId: string,
  { userId, payload, original = null, before }: RunEdit,
): Op<Done<Run>> {
  if (userId !== undefined) {
    const loaded = yield* lockSession(dialect, now, yield* sessionOfRun(runId));
    yield* mustOperate(loaded, userId);
    // A message of a disabled user would not run, so it must not replace someone else's.
    yield* mustBeEnabled(userId, runId);
  }
  let hint = NO_HINT;
  if (payload !== undefined) {
    ({ hint } = yield* applyCommand(dialect, now, { do: 'edit', run: runId, payload }));
    yield* query('DELETE FROM originals WHERE run_id = $1', [runId]);
    if (original !== null) yield* putOriginal(runId, original);
  }
  if (before !== undefined) {
    const moved = yield* applyCommand(dialect, now, { do: 'move', run: runId, before });
    hint = mergeHints(hint, moved.hint);
  }
  const run = yield* readRun(runId);
  if (run === null) throw new BatonError('not_found', `There is no run ${runId}.`);
  return { value: run, hint };
}

export function* retryRun(
  dialect: Dialect,
  now: number,
  runId: string,
  newId: string,
  queueMax: number,
  payload?: string,
): Op<Done<Changed>> {
  const sessionId = yield* sessionOfRun(runId);
  const loaded = yield* lockSession(dialect, now, sessionId);
  const { session, changes } = wake(loaded);
  mustHaveRoom(loaded, queueMax);
  yield* saveTriggered(dialect, loaded, session);
  const { hint } = yield* applyCommand(dialect, now, {
    do: 'retry',
    run: runId,
    newId,
    ...(payload === undefined ? {} : { payload }),
  });
  yield* query(
    'INSERT INTO originals (run_id, sealed) SELECT $2, sealed FROM originals WHERE run_id = $1',
    [runId, newId],
  );
  const current = (yield* readSession(now, sessionId))!;
  return { value: { current, changes }, hint: mergeHints(hint, done(null, [loaded.change]).hint) };
}

function* putOriginal(runId: string, sealed: string): Op<void> {
  yield* query('INSERT INTO originals (run_id, sealed) VALUES ($1, $2)', [runId, sealed]);
}

export function* readOriginal(runId: string): Op<string | null> {
  const row = yield* queryOne<{ sealed: string }>(
    'SELECT sealed FROM originals WHERE run_id = $1',
    [runId],
  );
  return row?.sealed ?? null;
}
