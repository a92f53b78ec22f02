import type { InfiniteData } from '@tanstack/react-query';
import type { Answer } from '../../src/client/client.ts';
import type { endpoints } from '../../src/contract/api/all.ts';
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

export const changeSession = (
  list: SessionPages,
  id: string,
  change: (session: Session) => Session,
): SessionPages =>
  hasSession(list, id)
    ? changed(list, (items) => items.map((each) => (each.id === id ? change(each) : each)))
    : list;

export const withoutSession = (list: SessionPages, id: string): SessionPages =>
  hasSession(list, id) ? changed(list, (items) => items.filter((each) => each.id !== id)) : list;

/**
 * With one that the list does not have: newest first, which ids tell. One that is older than all
 * that was loaded comes when it is scrolled to.
 */
export function withNewSession(list: SessionPages, session: Session): SessionPages {
  const { pages } = list;
  const isEnd = pages.at(-1)?.nextCursor === null;
  const at = pages.findIndex(
    ({ items }, i) => items.some(({ id }) => id < session.id) || (isEnd && i === pages.length - 1),
  );
  if (at === -1) return list;
  const add = (items: Session[]): Session[] =>
    [...items, session].sort((a, b) => (a.id < b.id ? 1 : -1));
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
