import { expect, it } from 'vitest';
import { invalidatedBy, lastHintSeq, recordHint, type SingleHint } from './hint-cache.ts';

const hint = (more: Partial<SingleHint> = {}): SingleHint => ({
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

it('[C2] [E9] output of a working agent alone invalidates nothing', () => {
  const known = hint();
  for (let lastSeq = 11; lastSeq < 1000; lastSeq++) {
    expect(invalidatedBy({ ...known, lastSeq: lastSeq - 1 }, hint({ lastSeq }))).toEqual(NOTHING);
  }
});

it('[C2] the end of a run, a new name, a question and its answer invalidate what shows them', () => {
  const ended = hint({ lastSeq: 11, unfinishedRuns: 0, updatedAt: '2026-01-01T00:01:00.000Z' });
  expect(invalidatedBy(hint(), ended)).toMatchObject({ row: true, session: true, figures: true });
  expect(invalidatedBy(hint(), hint({ lastSeq: 11, held: true }))).toEqual({
    ...NOTHING,
    row: true,
  });
  // Renaming emits no event, so the hint repeats the same seq.
  expect(invalidatedBy(hint(), hint())).toMatchObject({ session: true });
  const asks = hint({ lastSeq: 11, openQuestions: 1 });
  expect(invalidatedBy(hint(), asks)).toMatchObject({ approvals: true });
  expect(invalidatedBy(asks, hint({ lastSeq: 12 }))).toMatchObject({ approvals: true });
  expect(invalidatedBy(asks, hint({ lastSeq: 14, openQuestions: 1 }))).toMatchObject({
    approvals: true,
  });
  expect(invalidatedBy(undefined, hint())).toMatchObject({ session: true, figures: true });
});

it.each([
  ['status', { status: 'IDLE' }],
  ['held', { held: true }],
  ['delayedUntil', { delayedUntil: '2026-01-01T00:05:00.000Z' }],
  ['unfinishedRuns', { unfinishedRuns: 2 }],
  ['openQuestions', { openQuestions: 1 }],
  ['lastActiveAt', { lastActiveAt: '2026-01-01T00:01:00.000Z' }],
] as const)('[C2] a change of %s alone changes the session’s row in lists', (_, more) => {
  const changed = hint({ lastSeq: 11, ...more });
  expect(invalidatedBy(hint(), changed).row).toBe(true);
  expect(invalidatedBy(changed, hint({ lastSeq: 12 })).row).toBe(true);
});

it('[C2] hints are compared with hints, so that loading a session does not trigger another load', () => {
  expect(recordHint(hint({ sessionId: 't' }), undefined).session).toBe(true);
  const loaded = { ...hint(), lastSeq: 50 } as never;
  expect(recordHint(hint({ sessionId: 't', lastSeq: 20 }), loaded)).toEqual(NOTHING);
  expect(lastHintSeq('t')).toBe(20);
});
