import { BatonError } from '../contract/errors.ts';
import type { SessionOrder } from '../contract/session.ts';
import type { SessionRecord } from './session-record.ts';

/* Where a page of sessions ends, as its cursor says it. */

type Place = Pick<SessionRecord, 'id' | 'lastActiveAt'>;

const BY_ACTIVITY = /^(\d{1,15})_(.+)$/s;

export const cursorOf = (order: SessionOrder, { id, lastActiveAt }: Place): string =>
  order === 'activity' ? `${lastActiveAt}_${id}` : id;

/** Throws for a cursor of the other order. */
export function placeAt(order: SessionOrder, cursor: string): Place {
  const [, at, id] = BY_ACTIVITY.exec(cursor) ?? [];
  if ((order === 'activity') !== (id !== undefined)) {
    throw new BatonError('invalid_request', 'This cursor belongs to a different list or order.', {
      details: { field: 'cursor' },
    });
  }
  return { id: id ?? cursor, lastActiveAt: Number(at ?? 0) };
}
