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
/** The arguments of `admit_message`, except for the time and how many runs may be queued. */
const ARGUMENTS = [
  ...['session', 'sender', 'run_id', 'type', 'payload', 'sealed', 'attempts', 'key', 'hash'],
  'event',
];
/** The values of a message; `audited` is 1 if a line is to be written. */
const MESSAGE = [...ARGUMENTS, 'most', 'audited', ...LINE_VALUES];

const placeholder = (column: string, suffix: '' | '[]' = ''): string => {
  const type = ['attempts', 'most', 'audited'].includes(column) ? 'bigint' : 'text';
  return `$${MESSAGE.indexOf(column) + 2}::${type}${suffix}`;
};

/**
 * Admits the messages of `source` in their order, under the lock that the first of them takes. No
 * line is written to the audit log for a message that was already known or was not admitted. `the`
 * returns a value of the message, and `number` selects the message's number. $1 is the time (null
 * for the database's).
 */
const sendFrom = (source: string, number: string, the: (column: string) => string): string => `
WITH t AS MATERIALIZED (
  SELECT coalesce($1::bigint, ${NOW}) AS now
), sent AS MATERIALIZED (
  SELECT t.now, m.*, ${number} FROM t ${source}
  CROSS JOIN LATERAL admit_message(${ARGUMENTS.map(the).join(', ')}, t.now, ${the('most')}) m
), line AS (
  INSERT INTO audit (${AUDIT_COLUMNS})
  SELECT now, ${LINE_VALUES.map(the).join(', ')} FROM sent WHERE ${the('audited')} = 1 AND NOT known
)
SELECT nth, run, run_state, place, known FROM sent`;

/** Most messages are sent alone, and reading them from arrays would take 4 % longer. */
const SEND_ONE = sendFrom('', '1::bigint AS nth', (column) => placeholder(column));
const ARRAYS = MESSAGE.map((column) => placeholder(column, '[]')).join(', ');
const SEND_MANY = sendFrom(
  `CROSS JOIN unnest(${ARRAYS}) WITH ORDINALITY AS c (${MESSAGE.join(', ')}, nth)`,
  'c.*',
  (column) => column,
);
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
  const [one, ...more] = sends.map(valuesOf);
  const rows =
    more.length === 0
      ? yield* query<SentRow>(SEND_ONE, [now, ...one!], 'admit_message')
      : yield* query<SentRow>(SEND_MANY, [now, ...columnsOf([one!, ...more])], 'admit_messages');
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

type Values = readonly (string | number | null)[];

const columnsOf = (messages: readonly Values[]): Values[] =>
  MESSAGE.map((_, i) => messages.map((values) => values[i]!));

/** The values in the order of MESSAGE. */
function valuesOf({ args: [request], audit }: Send): Values {
  const { sessionId, userId = null, admission, original, queueMax } = request;
  const { id, type, payload, maxAttempts, idempotencyKey, bodyHash } = admission;
  const event = JSON.stringify({ type } satisfies EventPayloads['run.queued']);
  return [
    ...[sessionId, userId, id, type, payload, original, maxAttempts, idempotencyKey, bodyHash],
    ...[event, queueMax],
    ...(audit === undefined ? [0, ...NO_LINE] : [1, ...auditValues(audit)]),
  ];
}
