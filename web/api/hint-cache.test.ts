import { expect, it } from 'vitest';
import { type Told, take, toldSeq, whatIsOld } from './hint-cache.ts';

const hint = (more: Partial<Told> = {}): Told => ({
  sessionId: 's',
  lastSeq: 10,
  status: 'ACTIVE',
  held: false,
  delayedUntil: null,
  unfinishedRuns: 1,
  openQuestions: 0,
  lastActiveAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const NOTHING = { row: false, session: false, approvals: false, figures: false };

it('[C2] [E9] an agent at work makes nothing old, however much it says', () => {
  const known = hint();
  for (let lastSeq = 11; lastSeq < 1000; lastSeq++) {
    expect(whatIsOld({ ...known, lastSeq: lastSeq - 1 }, hint({ lastSeq }))).toEqual(NOTHING);
  }
});

it('[C2] the end of a run, a name, a question and its answer are noticed', () => {
  const ended = hint({ lastSeq: 11, unfinishedRuns: 0, updatedAt: '2026-01-01T00:01:00.000Z' });
  expect(whatIsOld(hint(), ended)).toMatchObject({ row: true, session: true, figures: true });
  expect(whatIsOld(hint(), hint({ lastSeq: 11, held: true }))).toEqual({ ...NOTHING, row: true });
  // A new name is no event: the same seq is told again.
  expect(whatIsOld(hint(), hint())).toMatchObject({ session: true });
  const asks = hint({ lastSeq: 11, openQuestions: 1 });
  expect(whatIsOld(hint(), asks)).toMatchObject({ approvals: true });
  expect(whatIsOld(asks, hint({ lastSeq: 12 }))).toMatchObject({ approvals: true });
  expect(whatIsOld(asks, hint({ lastSeq: 14, openQuestions: 1 }))).toMatchObject({
    approvals: true,
  });
  expect(whatIsOld(undefined, hint())).toMatchObject({ session: true, figures: true });
});

it('[C2] hints are compared with hints, so that loading a session makes no further loading', () => {
  expect(take(hint({ sessionId: 't' }), undefined).session).toBe(true);
  const loaded = { ...hint(), lastSeq: 50 } as never;
  expect(take(hint({ sessionId: 't', lastSeq: 20 }), loaded)).toEqual(NOTHING);
  expect(toldSeq('t')).toBe(20);
});
