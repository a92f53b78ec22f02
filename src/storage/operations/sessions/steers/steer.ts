import { BatonError } from '../../../../contract/errors.ts';
import { keyConflict, mustHaveSameBody } from '../../../../queue/machine/known-key.ts';
import type { RunCore } from '../../../../queue/machine/lane-change.ts';
import type { Steered, SteerRequest } from '../../../../sessions/messages/steer-store.ts';
import { type Op, query, queryOne } from '../../../statement.ts';
import { type Dialect, type Done, done, NO_HINT } from '../../dialect.ts';
import { findByKey } from '../../known-key.ts';
import { lockLane, readCore } from '../../load.ts';
import { type LoadedSession, lockSession } from '../load.ts';
import { mustHaveRoom } from '../send.ts';

const INSERT = `INSERT INTO steers (id, session_id, run_id, seq, payload, sealed, max_attempts, idem_key, body_hash, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting')`;

/** How much text may be sent to one run, including the encrypted originals of masked messages. */
const STEERED_MAX = 4 * 1024 * 1024;
const TOO_MUCH =
  'This run has already been sent 4 MiB of messages. Send this one with "enqueue"; it then waits for the run to end.';

export function* steerMessage(
  dialect: Dialect,
  now: number,
  request: SteerRequest,
): Op<Done<Steered>> {
  const { id, sessionId, payload, event, original, maxAttempts, idempotencyKey, bodyHash } =
    request;
  const loaded = yield* lockSession(dialect, now, sessionId);
  const known = yield* findKnown(request);
  if (known !== null) return { value: known, hint: NO_HINT, changed: false };
  const { change, session } = loaded;
  const core = yield* atWork(loaded);
  const { waiting, characters } = yield* stored(core.id);
  mustHaveRoom(loaded, request.queueMax, waiting);
  if (characters + payload.length + (original?.length ?? 0) > STEERED_MAX) {
    throw new BatonError('cannot_steer', TOO_MUCH);
  }
  const values = [id, sessionId, core.id, change.lane.nextSeq, payload, original];
  yield* query(INSERT, [...values, maxAttempts, idempotencyKey, bodyHash]);
  change.log('run.steered', event, core);
  if (change.lane.nodeId !== null) change.nodes.push(change.lane.nodeId);
  yield* dialect.saveSessions([{ ...session, lastActiveAt: now, updatedAt: now }]);
  yield* dialect.save([change]);
  return done({ runId: core.id, state: 'steered', known: false }, [change]);
}

/** A run accepts no more messages once it has an outcome or a cancel has been requested. */
function* atWork({ change }: LoadedSession): Op<RunCore> {
  const core = change.lane.runId === null ? null : yield* readCore(change.lane.runId);
  const works = core?.state === 'running' || core?.state === 'waiting';
  if (!works || core.committed !== null || core.cancelRequestedAt !== null) {
    throw new BatonError('cannot_steer', 'No agent is working in this session.');
  }
  return core;
}

/** What has been stored for a run: all of it is read again for each of its tool calls. */
function* stored(runId: string): Op<{ waiting: number; characters: number }> {
  const row = yield* queryOne<{ waiting: number | string; characters: number | string }>(
    `SELECT coalesce(sum(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END), 0) AS waiting,
       coalesce(sum(length(payload) + coalesce(length(sealed), 0)), 0) AS characters
     FROM steers WHERE run_id = $1`,
    [runId],
  );
  return { waiting: Number(row?.waiting ?? 0), characters: Number(row?.characters ?? 0) };
}

/**
 * A request with a known key gets the earlier response, or is refused if its body or its kind of
 * message differs (Q10).
 */
function* findKnown({ sessionId, idempotencyKey, bodyHash }: SteerRequest): Op<Steered | null> {
  const known = yield* findByKey(sessionId, idempotencyKey);
  if (known === null) return null;
  if (known.kind === 'run') throw keyConflict(known.id);
  mustHaveSameBody(known.run_id, known.body_hash, bodyHash);
  return known.state === 'queued'
    ? { runId: known.id, state: 'queued', known: true }
    : { runId: known.run_id, state: 'steered', known: true };
}

/** Must be safe to repeat, because the response may have been lost. */
export function* markSteer(
  dialect: Dialect,
  now: number,
  id: string,
  given: boolean,
  fence: number,
): Op<Done<boolean>> {
  const none = { value: false, hint: NO_HINT };
  const steer = yield* queryOne<{ session_id: string; run_id: string }>(
    'SELECT session_id, run_id FROM steers WHERE id = $1',
    [id],
  );
  if (steer === null) return none;
  const { lane } = yield* lockLane(dialect, now, steer.session_id);
  if (lane.runId !== steer.run_id || lane.fence !== fence) return none;
  const marked = yield* query(
    given
      ? `UPDATE steers SET state = 'given', fence = $2 WHERE id = $1 AND (state = 'waiting' OR fence = $2) RETURNING id`
      : `UPDATE steers SET state = 'waiting', fence = NULL WHERE id = $1 AND fence = $2 RETURNING id`,
    [id, fence],
  );
  return { value: marked.length > 0, hint: NO_HINT };
}
