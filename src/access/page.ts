import type { Page } from './service.ts';

/** Most entries of a list unless told. */
export const PAGE_DEFAULT = 50;

/** One more than asked for was read, to know whether there is another page. */
export function pageOf<T, V>(
  found: readonly T[],
  limit: number,
  view: (item: T) => V,
  cursorOf: (last: T) => string,
): Page<V> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items: items.map(view), nextCursor: more ? cursorOf(last) : null };
}
