import { expect, test } from 'vitest';
import type { LogEvent } from '../../contract/event.ts';
import { readEventPage } from './event-page.ts';

const TARGET = { sessionId: 's', runId: null, lastSeq: 5 };
const EVENTS: LogEvent[] = [1, 2, 3, 4, 5].map((seq) => ({
  lane: 's',
  seq,
  runId: null,
  attempt: null,
  type: 'agent.notice',
  payload: { text: 'x'.repeat(600_000) },
  at: 0,
}));
const logs = {
  events: async (_: unknown, after: number, limit: number) =>
    EVENTS.filter(({ seq }) => seq > after).slice(0, limit),
};

test('[E2] a page that ends early because its events are large says where to continue', async () => {
  const seen: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const text = await readEventPage(logs, TARGET, after, 100);
    const page = JSON.parse(text) as { items: { seq: number }[]; nextCursor: number | null };
    seen.push(...page.items.map(({ seq }) => seq));
    after = page.nextCursor;
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});
