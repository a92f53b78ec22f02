import { createStore } from '../parts/store.ts';

/* What of each session the person has seen, in this browser: the time of its last activity then. */

const KEY = 'baton.seen';
/** The oldest are forgotten beyond this. */
const MOST = 1000;

function read(): Readonly<Record<string, string>> {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof known === 'object' && known !== null ? (known as Record<string, string>) : {};
  } catch {
    return {};
  }
}

export const seen = createStore(read());

export function markSeen(id: string, lastActiveAt: string): void {
  const known = seen.get();
  if (known[id] === lastActiveAt) return;
  const next = Object.entries({ ...known, [id]: lastActiveAt })
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .slice(0, MOST);
  const all = Object.fromEntries(next);
  localStorage.setItem(KEY, JSON.stringify(all));
  seen.set(all);
}

addEventListener('storage', ({ key }) => {
  if (key === KEY) seen.set(read());
});
