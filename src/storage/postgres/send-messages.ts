import type { EventPayloads } from '../../contract/events/table.ts';
import type { RunState } from '../../contract/run.ts';
import { READY } from '../../queue/hint.ts';
import type { Sent } from '../../sessions/session-store.ts';
import { AUDIT_COLUMNS, auditValues } from '../access-rows.ts';
import { type Done, hintOf, NO_HINT } from '../operations/dialect.ts';
import type { WriteCall } from '../operations/registry.ts';
import { type Op, query } from '../statement.ts';
import { NOW } from './run.ts';

export type Send = WriteCall<'sendMessage'>;

/** A line in the audit log, without its time. */
const LINE = AUDIT_COLUMNS.split(', ').slice(1);
const LINE_VALUES = LINE.map((column) => `line_${column}`);
/** `audited` is 1 if a line is to be written. */
const NUMBERS = ['attempts', 'most', 'audited'];
const MESSAGE = [
  ...['session', 'sender', 'run_id', 'type', 'payload', 'sealed', 'key', 'hash', 'event'],
  ...LINE_VALUES,
  ...NUMBERS,
];
const ARRAYS = MESSAGE.map(
  (column, i) => `$${i + 2}::${NUMBERS.includes(column) ? 'bigint' : 'text'}[]`,
);

/**
 * $1 is the time (null for the database's); then follows an array for each column of MESSAGE, with
 * one element for each message. The messages are admitted in their order, under the lock that the
 * first of them takes. No line is written to the audit log for a message that was already known or
 * was not admitted.
 */
const SEND = `
WITH t AS MATERIALIZED (
  SELECT coalesce($1::bigint, ${NOW}) AS now
), sent AS MATERIALIZED (
  SELECT t.now, c.*, m.* FROM t CROSS JOIN unnest(${ARRAYS.join(', ')}) WITH ORDINALITY AS c (${MESSAGE.join(', ')}, nth)
  CROSS JOIN LATERAL admit_message(c.session, c.sender, c.run_id, c.type, c.payload, c.sealed, c.attempts, c.key, c.hash, c.event,
    t.now, c.most) m
), line AS (
  INSERT INTO audit (${AUDIT_COLUMNS})
  SELECT now, ${LINE_VALUES.join(', ')} FROM sent WHERE audited = 1 AND NOT known ORDER BY nth
)
SELECT nth, run, run_state, place, known FROM sent`;
const NO_LINE = LINE.map(() => null);

interface SentRow {
  readonly nth: number;
  readonly run: string;
  readonly run_state: RunState;
  readonly place: number;
  readonly known: boolean;
}

/** Whether the message has neither attachments, nor a time, nor an `onBusy` other than `enqueue`. */
export const joinsTheEnd = ({ args: [{ admission, attachments = [] }] }: Send): boolean =>
  attachments.length === 0 &&
  admission.onBusy === 'enqueue' &&
  admission.runAt === null &&
  admission.delayMs === null &&
  admission.tick === undefined;

/**
 * Admits messages that join the end of one session's lane, in their order, in one statement, with
 * their lines in the audit log. Null in place of a message that the general operation has to decide.
 */
export function* sendMessages(
  now: number | null,
  sends: readonly Send[],
): Op<(Done<Sent> | null)[]> {
  const messages = sends.map(valuesOf);
  const columns = MESSAGE.map((_, i) => messages.map((values) => values[i]!));
  const rows = yield* query<SentRow>(SEND, [now, ...columns], 'admit_message');
  const results: (Done<Sent> | null)[] = sends.map(() => null);
  for (const { nth, run: id, run_state: state, place: position, known } of rows) {
    const lane = sends[nth - 1]!.args[0].sessionId;
    results[nth - 1] = {
      value: { receipt: { id, lane, state, position, known }, changes: [] },
      hint: known ? NO_HINT : { ...(position === 0 ? hintOf(READY) : NO_HINT), lanes: [lane] },
    };
  }
  return results;
}

/** The values in the order of MESSAGE. */
function valuesOf({ args: [request], audit }: Send): (string | number | null)[] {
  const { sessionId, userId = null, admission, original, queueMax } = request;
  const { id, type, payload, maxAttempts, idempotencyKey, bodyHash } = admission;
  const event = JSON.stringify({ type } satisfies EventPayloads['run.queued']);
  const texts = [sessionId, userId, id, type, payload, original, idempotencyKey, bodyHash, event];
  const line = audit === undefined ? NO_LINE : auditValues(audit);
  return [...texts, ...line, maxAttempts, queueMax, audit === undefined ? 0 : 1];
}
