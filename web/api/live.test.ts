import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionHint } from '../../src/contract/session-event.ts';

const { stale } = vi.hoisted(() => ({ stale: [] as string[] }));
vi.mock('./client.ts', () => ({
  client: {
    hints: async function* ({ signal }: { signal: AbortSignal }): AsyncGenerator<SessionHint> {
      yield { all: true };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  },
  noticeError: () => {},
  queries: {
    invalidateQueries: async ({ queryKey }: { queryKey: [string] }) => stale.push(queryKey[0]),
    getQueriesData: () => [],
  },
}));

beforeEach(() => {
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => {} });
  vi.stubGlobal('addEventListener', () => {});
});
afterEach(() => vi.unstubAllGlobals());

test('[C2] [E9] when hints may have been missed, everything that they report is reloaded', async () => {
  const { followHints } = await import('./live.ts');
  const stop = new AbortController();
  void followHints(stop.signal);
  const all = ['approvals', 'runs', 'session', 'sessions', 'stats', 'stop'];
  await vi.waitFor(() => expect([...new Set(stale)].sort()).toEqual(all), { timeout: 5000 });
  stop.abort();
});
