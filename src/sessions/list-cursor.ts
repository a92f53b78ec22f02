import { BatonError } from '../contract/errors.ts';
import type { SessionOrder } from '../contract/session.ts';
import type { SessionRecord } from './session-record.ts';

/*
 * The cursor for a page of sessions: the position of the page's last session in the list's order.
 */

type Position = Pick<SessionRecord, 'id' | 'lastActiveAt'>;

const BY_ACTIVITY = /^(\d{1,15})_(.+)$/s;

export const cursorOf = (order: SessionOrder, { id, lastActiveAt }: Position): string =>
  order === 'activity' ? `${lastActiveAt}_${id}` : id;

/** Throws if the cursor was made for the other order. */
export function positionAt(order: SessionOrder, cursor: string): Position {
  const [, at, id] = BY_ACTIVITY.exec(cursor) ?? [];
  if ((order === 'activity') !== (id !== undefined)) {
    throw new BatonError('invalid_request', 'This cursor belongs to a different list or order.', {
      details: { field: 'cursor' },
    });
  }
  return { id: id ?? cursor, lastActiveAt: Number(at ?? 0) };
}
