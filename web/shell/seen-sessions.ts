import { createStore } from '../state/store.ts';
import { keep, kept, parsed } from '../state/stored.ts';

/* What of each session the person has seen, in this browser: where its output ended then. */

const KEY = 'baton.seen';
/** The oldest are forgotten beyond this. */
const MOST = 1000;

function read(): Readonly<Record<string, string>> {
  const isTime = (each: [string, unknown]): each is [string, string] => typeof each[1] === 'string';
  return Object.fromEntries(Object.entries(parsed(kept(KEY)) ?? {}).filter(isTime));
}

export const seen = createStore(read());

export function markSeen(id: string, mark: string): void {
  const known = seen.get();
  if (known[id] === mark) return;
  const next = Object.entries({ ...known, [id]: mark })
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, MOST);
  const all = Object.fromEntries(next);
  keep(KEY, JSON.stringify(all));
  seen.set(all);
}

addEventListener('storage', ({ key }) => {
  if (key === KEY) seen.set(read());
});
