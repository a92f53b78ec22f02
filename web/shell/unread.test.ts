import { expect, it } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { isUnread, outputEnd } from './unread.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();
const session = (more: Partial<Session> = {}): Session =>
  ({
    createdAt: at(1),
    lastOutputAt: null,
    lastActiveAt: at(1),
    updatedAt: at(1),
    lastSeq: 1,
    ...more,
  }) as Session;

it('[C2] output finished since the last visit is unread', () => {
  const seen = outputEnd(session());
  expect(isUnread(seen, session({ lastOutputAt: at(5) }))).toBe(true);
  const again = outputEnd(session({ lastOutputAt: at(5) }));
  expect(isUnread(again, session({ lastOutputAt: at(5) }))).toBe(false);
  expect(isUnread(again, session({ lastOutputAt: at(6) }))).toBe(true);
});

it('[C2] opening, renaming, holding or writing to a session makes nothing unread', () => {
  const seen = outputEnd(session({ lastOutputAt: at(5) }));
  const touched = { lastOutputAt: at(5), lastActiveAt: at(9), updatedAt: at(9), lastSeq: 90 };
  expect(isUnread(seen, session(touched))).toBe(false);
});

it('[C2] a session never opened in this browser is not unread', () => {
  expect(isUnread(undefined, session({ lastOutputAt: at(5) }))).toBe(false);
});
