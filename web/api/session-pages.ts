import type { InfiniteData } from '@tanstack/react-query';
import type { Answer } from '../../src/client/client.ts';
import type { endpoints } from '../../src/contract/api/endpoints.ts';
import type { Session } from '../../src/contract/session.ts';

/* The session list as far as it has been scrolled, updated without reloading all of it. */

export type SessionPage = Answer<typeof endpoints.listSessions>;
export type SessionPages = InfiniteData<SessionPage, string | null>;

export const hasSession = ({ pages }: SessionPages, id: string): boolean =>
  pages.some(({ items }) => items.some((each) => each.id === id));

const changed = (list: SessionPages, change: (items: Session[]) => Session[]): SessionPages => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, items: change(page.items) })),
});

/** A session that became active moves to its new position. */
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

/** Most recently active first, then newest first. */
const inOrder = (a: Session, b: Session): number => (sortKeyOf(a) < sortKeyOf(b) ? 1 : -1);
const sortKeyOf = ({ lastActiveAt, id }: Session): string => `${lastActiveAt} ${id}`;

export const withoutSession = (list: SessionPages, id: string): SessionPages =>
  hasSession(list, id) ? changed(list, (items) => items.filter((each) => each.id !== id)) : list;

/**
 * Inserts a session. A session that belongs after all loaded ones appears when the user scrolls to
 * it.
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

/** The first pages, which are reloaded when anything may have changed. */
export const firstPages = ({ pages, pageParams }: SessionPages, count: number): SessionPages => ({
  pages: pages.slice(0, count),
  pageParams: pageParams.slice(0, count),
});
