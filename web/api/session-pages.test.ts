import { expect, it } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import {
  changeSession,
  firstPages,
  hasSession,
  type SessionPages,
  withNewSession,
  withoutSession,
} from './session-pages.ts';

/** Sessions whose last activity follows the order of their ids. */
const session = (id: string, name = id, lastActiveAt = id): Session =>
  ({ id, name, lastActiveAt }) as Session;
const list = (pages: string[][], end = true): SessionPages => ({
  pages: pages.map((ids, i) => ({
    items: ids.map((id) => session(id)),
    nextCursor: end && i === pages.length - 1 ? null : `after ${ids.at(-1)}`,
  })),
  pageParams: pages.map((_, i) => (i === 0 ? null : `page ${i}`)),
});
const ids = ({ pages }: SessionPages): string[][] =>
  pages.map(({ items }) => items.map(({ id }) => id));

it('[C2] [E9] a new session is inserted in order, however far the list was scrolled', () => {
  expect(ids(withNewSession(list([['9', '8'], ['5']]), session('a')))).toEqual([
    ['a', '9', '8'],
    ['5'],
  ]);
  // Created earlier, but shared just now.
  expect(ids(withNewSession(list([['9', '8'], ['5']]), session('6')))).toEqual([
    ['9', '8'],
    ['6', '5'],
  ]);
  expect(ids(withNewSession(list([['9'], ['5']]), session('1')))).toEqual([['9'], ['5', '1']]);
  const more = list([['9'], ['5']], false);
  expect(withNewSession(more, session('1'))).toBe(more);
  expect(ids(withNewSession(list([[]]), session('1')))).toEqual([['1']]);
});

it('[C2] a session that becomes active moves to the front, from any page', () => {
  const known = list([
    ['9', '8'],
    ['5', '4'],
  ]);
  const active = (id: string) =>
    changeSession(known, id, (each) => ({ ...each, lastActiveAt: 'a' }));
  expect(ids(active('4'))).toEqual([['4', '9', '8'], ['5']]);
  expect(ids(active('8'))).toEqual([
    ['8', '9'],
    ['5', '4'],
  ]);
  expect(ids(active('9'))).toEqual(ids(known));
});

it('[C2] other changes keep the position, and a deleted session disappears', () => {
  const known = list([['9', '8'], ['5']]);
  const renamed = changeSession(known, '8', (each) => ({ ...each, name: 'new' }));
  expect(renamed.pages[0]?.items[1]?.name).toBe('new');
  expect(renamed.pages[0]?.items[0]).toBe(known.pages[0]?.items[0]);
  expect(ids(withoutSession(known, '9'))).toEqual([['8'], ['5']]);
  // Unknown sessions cause no new render.
  expect(changeSession(known, 'x', (each) => each)).toBe(known);
  expect(withoutSession(known, 'x')).toBe(known);
  expect([hasSession(known, '5'), hasSession(known, 'x')]).toEqual([true, false]);
});

it('[C2] reloading after a lost connection is bounded', () => {
  const cut = firstPages(list([['9'], ['8'], ['7']]), 2);
  expect(ids(cut)).toEqual([['9'], ['8']]);
  expect(cut.pageParams).toEqual([null, 'page 1']);
});
