import type { Receipt } from '../../queue/store.ts';
import type { SendRequest, Sent } from '../../sessions/session-store.ts';
import { type Done, NOTHING_TO_TELL } from '../operations/dialect.ts';
import { type Op, query } from '../statement.ts';
import { NOW } from './run.ts';

const SEND = `SELECT queued, begun FROM send_message($1, $2, $3, $4, $5, $6, $7, coalesce($8::bigint, ${NOW}), $9)`;

/** A plain message to a session that is awake, in one statement (migrations/0006); else null. */
export function* sendOne(now: number | null, request: SendRequest): Op<Done<Sent> | null> {
  const { sessionId, admission, original, queueMax, ownerId = null } = request;
  const { id, type, payload, maxAttempts } = admission;
  const plain =
    original === null &&
    admission.onBusy === 'enqueue' &&
    admission.idempotencyKey === null &&
    admission.runAt === null &&
    admission.delayMs === null &&
    admission.tick === undefined;
  if (!plain) return null;
  const [row] = yield* query<{ queued: number; begun: string | null }>(
    SEND,
    [sessionId, ownerId, id, type, payload, maxAttempts, JSON.stringify({ type }), now, queueMax],
    'send_message',
  );
  if (row === undefined) return null;
  const position = row.queued - 1 + (row.begun === null ? 0 : 1);
  const receipt: Receipt = { id, lane: sessionId, state: 'queued', position, known: false };
  return {
    value: { receipt, changes: [] },
    hint: { ...NOTHING_TO_TELL, ready: position === 0, lanes: [sessionId] },
  };
}
