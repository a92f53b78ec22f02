import { expect, test } from 'vitest';
import { Events } from './events.ts';
import { parseLine } from './lines.ts';

test.each([
  ['in milliseconds', 1_794_800_000_000],
  ['at no time there is', 1e300],
  ['before all times', -1e300],
  ['in words', '"tomorrow"'],
])('[Q15] a limit that ends %s has no known end', (_, resetsAt) => {
  const info = `{"status":"rejected","resetsAt":${resetsAt},"rateLimitType":"five_hour"}`;
  const events = new Events();
  const emitted = [
    ...events.take(parseLine(`{"type":"rate_limit_event","rate_limit_info":${info}}`)),
  ];
  const payload = { status: 'rejected', resetsAt: null, kind: 'five_hour' };
  expect(emitted).toEqual([{ kind: 'event', type: 'agent.limit', payload }]);
  expect(events.limit?.resetsAt ?? null).toBeNull();
});
