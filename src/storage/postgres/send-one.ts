import type { NewAuditEntry } from '../../access/principal.ts';
import type { EventPayloads } from '../../contract/events/table.ts';
import type { RunState } from '../../contract/run.ts';
import { READY } from '../../queue/hint.ts';
import type { SendRequest, Sent } from '../../sessions/session-store.ts';
import { AUDIT_COLUMNS, auditValues } from '../access-rows.ts';
import { type Done, hintOf, NO_HINT } from '../operations/dialect.ts';
import { type Op, query } from '../statement.ts';
import { NOW } from './run.ts';

/**
 * $1 to $10 are the arguments of `admit_message`, $11 is the time (null for the database's), $12
 * how many runs may be queued, $13 whether to write a line to the audit log; its values follow. No
 * line is written for a message that was already known or was not admitted.
 */
const SEND = `
WITH t AS MATERIALIZED (
  SELECT coalesce($11::bigint, ${NOW}) AS now
), sent AS MATERIALIZED (
  SELECT t.now, m.* FROM t CROSS JOIN LATERAL admit_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, t.now, $12) m
), line AS (
  INSERT INTO audit (${AUDIT_COLUMNS})
  SELECT sent.now, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23 FROM sent WHERE $13::boolean AND NOT sent.known
)
SELECT run, run_state, place, known FROM sent`;
const NO_LINE = Array.from({ length: AUDIT_COLUMNS.split(', ').length - 1 }, () => null);

interface SentRow {
  readonly run: string;
  readonly run_state: RunState;
  readonly place: number;
  readonly known: boolean;
}

/**
 * Admits a message to the end of its lane in one statement, with its line in the audit log, if any.
 * Null if the message has attachments, a time, or an `onBusy` other than `enqueue`, or if the
 * general operation has to decide.
 */
export function* sendOne(
  now: number | null,
  { sessionId, userId, admission, attachments = [], original, queueMax }: SendRequest,
  entry?: NewAuditEntry,
): Op<Done<Sent> | null> {
  const joinsTheEnd =
    attachments.length === 0 &&
    admission.onBusy === 'enqueue' &&
    admission.runAt === null &&
    admission.delayMs === null &&
    admission.tick === undefined;
  if (!joinsTheEnd) return null;
  const { id, type, payload, maxAttempts, idempotencyKey, bodyHash } = admission;
  const [row] = yield* query<SentRow>(
    SEND,
    [
      sessionId,
      userId ?? null,
      id,
      type,
      payload,
      original,
      maxAttempts,
      idempotencyKey,
      bodyHash,
      JSON.stringify({ type } satisfies EventPayloads['run.queued']),
      now,
      queueMax,
      String(entry !== undefined),
      ...(entry === undefined ? NO_LINE : auditValues(entry)),
    ],
    'admit_message',
  );
  if (row === undefined) return null;
  const { known, place: position } = row;
  const receipt = { id: row.run, lane: sessionId, state: row.run_state, position, known };
  return {
    value: { receipt, changes: [] },
    hint: known ? NO_HINT : { ...(position === 0 ? hintOf(READY) : NO_HINT), lanes: [sessionId] },
  };
}
