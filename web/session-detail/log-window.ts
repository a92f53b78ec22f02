import { type EventFields, fieldsOf, textOrNull } from '../../src/client/fields.ts';
import { typeOf } from '../../src/contract/events/type-of.ts';
import type { SessionStatus, StatusReason } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';

/* The log is read backwards by seq, because the latest events are viewed most. */

/** The window of a log that ends with `last`: where it starts, and where the previous one ends. */
export function windowTo(last: number, size: number): { after: number; before: number | null } {
  const after = Math.max(0, last - size);
  return { after, before: after === 0 ? null : after };
}

export interface StatusChange {
  readonly seq: number;
  readonly at: string;
  readonly from: SessionStatus | null;
  readonly to: SessionStatus;
  readonly reason: StatusReason;
  readonly error: string | null;
}

const STATUSES: Record<SessionStatus, true> = {
  PENDING: true,
  ACTIVE: true,
  IDLE: true,
  ERROR: true,
  COMPLETED: true,
  TERMINATED: true,
};
const isStatus = (text: string | null): text is SessionStatus =>
  text !== null && Object.hasOwn(STATUSES, text);

/** The status changes among the given events, in the same order. */
export function statusChanges(events: readonly SessionEvent[]): StatusChange[] {
  return events.flatMap((event): StatusChange[] => {
    const { seq, at } = event;
    const type = typeOf(event);
    if (type === 'session.created')
      return [{ seq, at, from: null, to: 'PENDING', reason: 'created', error: null }];
    if (type !== 'session.status') return [];
    const fields: EventFields<'session.status'> = fieldsOf(event.payload);
    const from = textOrNull(fields, 'from');
    const to = textOrNull(fields, 'to');
    // A status from a newer server is unknown here.
    if (!isStatus(from) || !isStatus(to)) return [];
    const reason = textOrNull(fields, 'reason') as StatusReason;
    return [{ seq, at, from, to, reason, error: textOrNull(fields, 'error') }];
  });
}

/** The event types that occur, sorted. */
export const typesIn = (events: readonly SessionEvent[]): string[] =>
  [...new Set(events.map(({ type }) => type))].sort();
