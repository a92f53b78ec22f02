import { giveWay } from '../queue/give-way.ts';
import type { Principal } from './principal.ts';

export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Items per page if the request has no limit. */
const PAGE_DEFAULT = 50;
/** Rows read at a time: a default page plus the row that shows whether there is another page. */
const SLICE = PAGE_DEFAULT + 1;
/** A page ends early at this size, so that a list of long messages does not fill up memory. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** Which rows to read: at most `limit` of those after the cursor. */
export interface Slice {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/**
 * Reads one more row than requested, to find out whether there is another page. A user's pages take
 * turns with other users' work: reading one takes up to a tenth of a second if its rows are long.
 */
export async function readPage<T, V>(
  { userId }: Pick<Principal, 'userId'>,
  { limit = PAGE_DEFAULT, cursor }: PageQuery,
  read: (slice: Slice) => Promise<readonly T[]>,
  view: (row: T) => V,
  cursorOf: (row: T) => string,
): Promise<Page<V>> {
  const items: V[] = [];
  let last = cursor;
  let bytes = 0;
  for (;;) {
    const size = Math.min(SLICE, limit + 1 - items.length);
    // The route lets other work continue before the first slice.
    if (items.length > 0) await giveWay(userId);
    const rows = await read({ limit: size, cursor: last });
    for (const row of rows) {
      if (items.length === limit || bytes >= PAGE_BYTES) return { items, nextCursor: last ?? null };
      const item = view(row);
      bytes += JSON.stringify(item).length;
      items.push(item);
      last = cursorOf(row);
    }
    if (rows.length < size) return { items, nextCursor: null };
  }
}
