import { expect, test } from 'vitest';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { readLog } from './read-log.ts';

const event = (seq: number): SessionEvent => ({
  seq,
  type: 'agent.message',
  payload: {},
  sessionId: 's',
  runId: null,
  attempt: null,
  at: '2026-11-16T10:00:00.000Z',
});

/** A log without the events 4 and 5, returned two events at a time. */
const LOG = [1, 2, 3, 6, 7, 8, 9, 10].map(event);
const source = {
  sessionEvents: async ({
    query,
  }: {
    query?: { after?: number | undefined; limit?: number | undefined };
  }) => {
    const rest = LOG.filter(({ seq }) => seq > (query?.after ?? 0));
    const items = rest.slice(0, Math.min(2, query?.limit ?? 2));
    return { items, nextCursor: rest.length > items.length ? items.at(-1)!.seq : null };
  },
};

test.each([
  [0, 10, [1, 2, 3, 6, 7, 8, 9, 10]],
  [2, 7, [3, 6, 7]],
  [3, 5, []],
  [8, 100, [9, 10]],
  [7, 7, []],
])(
  '[E2] all events after %i up to %i are read, however short the responses',
  async (after, last, seqs) => {
    const events = await readLog(source, 's', { after, last });
    expect(events.map(({ seq }) => seq)).toEqual(seqs);
  },
);
