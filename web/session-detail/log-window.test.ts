import { expect, test } from 'vitest';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { statusChanges, typesIn, windowTo } from './log-window.ts';

test('[E2] a log is read backwards in adjacent windows without overlap', () => {
  const seen: number[] = [];
  let last: number | null = 23;
  while (last !== null) {
    const { after, before } = windowTo(last, 10);
    for (let seq = last; seq > after; seq--) seen.push(seq);
    last = before;
  }
  expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => 23 - index));
  expect(windowTo(0, 10)).toEqual({ after: 0, before: null });
});

const event = (seq: number, type: string, payload: SessionEvent['payload'] = {}): SessionEvent => ({
  seq,
  type,
  payload,
  sessionId: 's',
  runId: null,
  attempt: null,
  at: '2026-11-16T10:00:00.000Z',
});

test('[S1] the status history consists of status events only', () => {
  const events = [
    event(1, 'session.created', { name: 'one' }),
    event(2, 'session.status', { from: 'PENDING', to: 'ERROR', reason: 'failed', error: 'gone' }),
    event(3, 'agent.message', { text: 'hello' }),
    event(4, 'session.status', { from: 'ERROR', to: 'A NEW ONE', reason: 'failed' }),
  ];
  expect(statusChanges(events)).toMatchObject([
    { seq: 1, from: null, to: 'PENDING', reason: 'created' },
    { seq: 2, from: 'PENDING', to: 'ERROR', reason: 'failed', error: 'gone' },
  ]);
  expect(typesIn(events)).toEqual(['agent.message', 'session.created', 'session.status']);
});
