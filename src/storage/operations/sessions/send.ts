import { BatonError, isBatonError } from '../../../contract/errors.ts';
import type { Run } from '../../../contract/run.ts';
import type { Admission, Receipt } from '../../../queue/store.ts';
import type { Changed, RunEdit, SendRequest, Sent } from '../../../sessions/session-store.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import { change } from '../change.ts';
import { type Dialect, type Done, done, NOTHING_TO_TELL, together } from '../dialect.ts';
import { enqueue } from '../enqueue.ts';
import { readRun } from '../load.ts';
import { copyAttachments, putAttachments } from './attachments.ts';
import { type LoadedSession, lockSession, noSession, readFound, sessionOfRun } from './load.ts';
import { type Moved, moveSession, saveMoved } from './move.ts';
import { conflict, knownSteer } from './steers/steer.ts';

/** Admits a message to a session's lane and moves the session, in one transaction. */
export function* sendMessage(
  dialect: Dialect,
  now: number,
  { sessionId, ownerId, admission: given, original, attachments = [], queueMax }: SendRequest,
): Op<Done<Sent>> {
  const admission = { ...given, lane: sessionId };
  const loaded = yield* lockSession(dialect, now, sessionId);
  if (ownerId !== undefined && loaded.session.ownerId !== ownerId) throw noSession(sessionId);
  const known = yield* isKnown(admission);
  const { changes } = known ? { changes: [] } : yield* stir(dialect, loaded);
  if (!known) mustHaveRoom(loaded, queueMax);
  const { value, hint } = yield* admit(dialect, now, admission);
  const receipt = value[0] as Receipt;
  if (!receipt.known && original !== null) yield* putOriginal(receipt.id, original);
  if (!receipt.known) yield* putAttachments(receipt.id, attachments);
  return {
    value: { receipt, changes },
    hint: together(hint, done(null, [loaded.it]).hint),
    ...(receipt.known ? { changed: false } : {}),
  };
}

/** The session wakes, is revived, or refuses because it has ended (S5). */
function* stir(dialect: Dialect, loaded: LoadedSession): Op<Moved> {
  const { now } = loaded.facts;
  const { session, changes } = moveSession(loaded, 'message');
  const touched = { ...session, lastActiveAt: now, archivedAt: null, updatedAt: now };
  yield* saveMoved(dialect, loaded, touched);
  return { session: touched, changes };
}

function* isKnown({ lane, idempotencyKey }: Admission): Op<boolean> {
  if (idempotencyKey === null) return false;
  const steer = yield* knownSteer(lane!, idempotencyKey);
  if (steer !== null) throw conflict(steer.run_id);
  const row = yield* queryOne('SELECT id FROM runs WHERE idem_scope = $1 AND idem_key = $2', [
    lane,
    idempotencyKey,
  ]);
  return row !== null;
}

function mustHaveRoom({ it, facts }: LoadedSession, most: number): void {
  const queued = facts.unfinishedRuns - (it.lane.runId === null ? 0 : 1);
  if (queued >= most) throw new BatonError('queue_full', undefined, { details: { queued, most } });
}

function* admit(dialect: Dialect, now: number, admission: Admission): Op<Done<Receipt[]>> {
  try {
    return yield* enqueue(dialect, now, [admission]);
  } catch (error) {
    if (!isBatonError(error, 'lane_busy')) throw error;
    throw new BatonError('session_busy', undefined, { details: { sessionId: admission.lane } });
  }
}

/** Another message, another place, or both; the second sees what the first has stored. */
export function* editRun(
  dialect: Dialect,
  now: number,
  runId: string,
  { payload, original = null, before }: RunEdit,
): Op<Done<Run>> {
  let hint = NOTHING_TO_TELL;
  if (payload !== undefined) {
    ({ hint } = yield* change(dialect, now, { do: 'edit', run: runId, payload }));
    yield* query('DELETE FROM originals WHERE run_id = $1', [runId]);
    if (original !== null) yield* putOriginal(runId, original);
  }
  if (before !== undefined) {
    const moved = yield* change(dialect, now, { do: 'move', run: runId, before });
    hint = together(hint, moved.hint);
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
): Op<Done<Changed>> {
  const sessionId = yield* sessionOfRun(runId);
  const loaded = yield* lockSession(dialect, now, sessionId);
  const { changes } = yield* stir(dialect, loaded);
  const { hint } = yield* change(dialect, now, { do: 'retry', run: runId, newId });
  yield* query(
    'INSERT INTO originals (run_id, sealed) SELECT $2, sealed FROM originals WHERE run_id = $1',
    [runId, newId],
  );
  yield* copyAttachments(runId, newId);
  const found = (yield* readFound(now, sessionId))!;
  return { value: { found, changes }, hint: together(hint, done(null, [loaded.it]).hint) };
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
