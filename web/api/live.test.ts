import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stale } from '../../test/support/page-client.ts';

vi.mock('./client.ts', () => import('../../test/support/page-client.ts'));

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
