import type { NewAuditEntry } from '../../access/principal.ts';
import type { Receipt } from '../../queue/store.ts';
import type { SendRequest, Sent } from '../../sessions/session-store.ts';
import { AUDIT_COLUMNS, auditValues } from '../access-rows.ts';
import { type Done, NOTHING_TO_TELL } from '../operations/dialect.ts';
import { type Op, query } from '../statement.ts';
import { NOW } from './run.ts';

const SEND = `SELECT queued, begun FROM send_message($1, $2, $3, $4, $5, $6, $7, coalesce($8::bigint, ${NOW}), $9)`;

/** The same with its line in the audit log: where nothing was sent there is no row to write one for. */
const SEND_AUDITED = `
WITH t AS MATERIALIZED (
  SELECT coalesce($8::bigint, ${NOW}) AS now
), sent AS MATERIALIZED (
  SELECT t.now, s.queued, s.begun FROM t CROSS JOIN LATERAL send_message($1, $2, $3, $4, $5, $6, $7, t.now, $9) s
), line AS (
  INSERT INTO audit (${AUDIT_COLUMNS})
  SELECT sent.now, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19 FROM sent
)
SELECT queued, begun FROM sent`;

/**
 * A plain message to a session that is awake, in one statement (migrations/0006), with its line in
 * the audit log if there is to be one; else null.
 */
export function* sendOne(
  now: number | null,
  request: SendRequest,
  entry?: NewAuditEntry,
): Op<Done<Sent> | null> {
  const { sessionId, admission, original, attachments = [], queueMax, ownerId = null } = request;
  const { id, type, payload, maxAttempts } = admission;
  const plain =
    original === null &&
    attachments.length === 0 &&
    admission.onBusy === 'enqueue' &&
    admission.idempotencyKey === null &&
    admission.runAt === null &&
    admission.delayMs === null &&
    admission.tick === undefined;
  if (!plain) return null;
  const event = JSON.stringify({ type });
  const values = [sessionId, ownerId, id, type, payload, maxAttempts, event, now, queueMax];
  const [row] =
    entry === undefined
      ? yield* query<SentRow>(SEND, values, 'send_message')
      : yield* query<SentRow>(
          SEND_AUDITED,
          [...values, ...auditValues(entry)],
          'send_message_audited',
        );
  if (row === undefined) return null;
  const position = row.queued - 1 + (row.begun === null ? 0 : 1);
  const receipt: Receipt = { id, lane: sessionId, state: 'queued', position, known: false };
  return {
    value: { receipt, changes: [] },
    hint: { ...NOTHING_TO_TELL, ready: position === 0, lanes: [sessionId] },
  };
}

interface SentRow {
  readonly queued: number;
  readonly begun: string | null;
}
