import type { InfiniteData } from '@tanstack/react-query';
import type { Answer } from '../../src/client/client.ts';
import type { endpoints } from '../../src/contract/api/endpoints.ts';
import type { Session } from '../../src/contract/session.ts';

/* The list of sessions as far as it was scrolled, kept right without asking for all of it again. */

export type SessionPage = Answer<typeof endpoints.listSessions>;
export type SessionPages = InfiniteData<SessionPage, string | null>;

export const hasSession = ({ pages }: SessionPages, id: string): boolean =>
  pages.some(({ items }) => items.some((each) => each.id === id));

const changed = (list: SessionPages, change: (items: Session[]) => Session[]): SessionPages => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, items: change(page.items) })),
});

/** One that became active moves to its place. */
export function changeSession(
  list: SessionPages,
  id: string,
  change: (session: Session) => Session,
): SessionPages {
  const before = list.pages.flatMap(({ items }) => items).find((each) => each.id === id);
  if (before === undefined) return list;
  const after = change(before);
  if (after.lastActiveAt !== before.lastActiveAt) {
    const moved = withNewSession(withoutSession(list, id), after);
    if (hasSession(moved, id)) return moved;
  }
  return changed(list, (items) => items.map((each) => (each.id === id ? after : each)));
}

/** The last active first, of several at once the newest. */
const inOrder = (a: Session, b: Session): number => (placeOf(a) < placeOf(b) ? 1 : -1);
const placeOf = ({ lastActiveAt, id }: Session): string => `${lastActiveAt} ${id}`;

export const withoutSession = (list: SessionPages, id: string): SessionPages =>
  hasSession(list, id) ? changed(list, (items) => items.filter((each) => each.id !== id)) : list;

/**
 * With one that the list does not have. One that belongs behind all that was loaded comes when it is
 * scrolled to.
 */
export function withNewSession(list: SessionPages, session: Session): SessionPages {
  const { pages } = list;
  const isEnd = pages.at(-1)?.nextCursor === null;
  const at = pages.findIndex(
    ({ items }, i) =>
      items.some((each) => inOrder(session, each) < 0) || (isEnd && i === pages.length - 1),
  );
  if (at === -1) return list;
  const add = (items: Session[]): Session[] => [...items, session].sort(inOrder);
  return {
    ...list,
    pages: pages.map((page, i) => (i === at ? { ...page, items: add(page.items) } : page)),
  };
}

/** Its first pages: all that is asked for again when nobody knows what has changed. */
export const firstPages = ({ pages, pageParams }: SessionPages, count: number): SessionPages => ({
  pages: pages.slice(0, count),
  pageParams: pageParams.slice(0, count),
});
