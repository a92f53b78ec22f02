import { createStore } from '../state/store.ts';
import { parseStored, readStored, writeStored } from '../state/stored.ts';

/*
 * How much of each session the user has seen in this browser: where its output ended at that time.
 */

const KEY = 'baton.seen';
/** Above this, the oldest are dropped. */
const MAX_SESSIONS = 1000;

function read(): Readonly<Record<string, string>> {
  const isTime = (each: [string, unknown]): each is [string, string] => typeof each[1] === 'string';
  return Object.fromEntries(Object.entries(parseStored(readStored(KEY)) ?? {}).filter(isTime));
}

export const seen = createStore(read());

export function markSeen(id: string, outputEnd: string): void {
  const known = seen.get();
  if (known[id] === outputEnd) return;
  const next = Object.entries({ ...known, [id]: outputEnd })
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, MAX_SESSIONS);
  const all = Object.fromEntries(next);
  writeStored(KEY, JSON.stringify(all));
  seen.set(all);
}

addEventListener('storage', ({ key }) => {
  if (key === KEY) seen.set(read());
});
