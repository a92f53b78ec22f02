import { expect, it } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { isUnread, outputMark } from './unread.ts';

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

it('[C2] what an agent has brought to an end since it was looked at is unread', () => {
  const seen = outputMark(session());
  expect(isUnread(seen, session({ lastOutputAt: at(5) }))).toBe(true);
  const again = outputMark(session({ lastOutputAt: at(5) }));
  expect(isUnread(again, session({ lastOutputAt: at(5) }))).toBe(false);
  expect(isUnread(again, session({ lastOutputAt: at(6) }))).toBe(true);
});

it('[C2] that somebody opens, names, holds or writes to it makes nothing unread', () => {
  const seen = outputMark(session({ lastOutputAt: at(5) }));
  const touched = { lastOutputAt: at(5), lastActiveAt: at(9), updatedAt: at(9), lastSeq: 90 };
  expect(isUnread(seen, session(touched))).toBe(false);
});

it('[C2] what was never opened in this browser is not announced', () => {
  expect(isUnread(undefined, session({ lastOutputAt: at(5) }))).toBe(false);
});
