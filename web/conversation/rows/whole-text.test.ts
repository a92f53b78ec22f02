import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { wholeText } from './whole-text.ts';

type Event = readonly [seq: number, attempt: number, type: 'delta' | 'message', text: string];

/** A log read in pages of two. */
const logOf = (events: readonly Event[]): Pick<Client, 'runEvents'> => ({
  runEvents: async ({ query }) => {
    const rest = events.filter(([seq]) => seq > (query?.after ?? 0));
    const items = rest.slice(0, 2).map(([seq, attempt, type, text]) => ({
      seq,
      attempt,
      type: `agent.${type}`,
      payload: { text },
      sessionId: '',
      runId: 'r',
      at: '',
    }));
    const nextCursor = rest.length > 2 ? rest[1]![0] : null;
    return { items, nextCursor } as Awaited<ReturnType<Client['runEvents']>>;
  },
});

const LOG = logOf([
  [1, 1, 'delta', 'a '],
  [2, 1, 'delta', 'short one'],
  [3, 1, 'message', 'a short one'],
  [4, 1, 'delta', 'cut '],
  [5, 1, 'delta', 'off'],
  [8, 2, 'delta', 'a long, '],
  [9, 2, 'delta', 'long '],
  [10, 2, 'delta', 'end'],
  [11, 2, 'message', 'end'],
  [12, 2, 'delta', 'still '],
  [13, 2, 'delta', 'growing'],
]);

it('[C2] [E6] the full text is read from any of its events', async () => {
  for (const seq of [1, 3]) expect(await wholeText(LOG, 'r', seq)).toBe('a short one');
  for (const seq of [4, 5]) expect(await wholeText(LOG, 'r', seq)).toBe('cut off');
  for (const seq of [8, 10, 11]) expect(await wholeText(LOG, 'r', seq)).toBe('a long, long end');
  for (const seq of [12, 13]) expect(await wholeText(LOG, 'r', seq)).toBe('still growing');
});

it('[C2] [E6] there is no full text if its deltas were removed', async () => {
  expect(await wholeText(logOf([[11, 1, 'message', 'end']]), 'r', 11)).toBeNull();
  expect(await wholeText(logOf([]), 'r', 11)).toBeNull();
});
