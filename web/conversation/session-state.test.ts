import { afterEach, beforeEach, expect, test, vi } from 'vitest';

vi.mock('../api/client.ts', () => import('../../test/support/page-client.ts'));

beforeEach(() => {
  const none = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  vi.stubGlobal('localStorage', none);
  vi.stubGlobal('sessionStorage', none);
  vi.stubGlobal('addEventListener', () => {});
});
afterEach(() => vi.unstubAllGlobals());

test('[C2] [A11] files added to a draft are kept, however many other sessions are opened', async () => {
  const { sessionState } = await import('./session-state.ts');
  const { draft } = sessionState('anna', 'first');
  await draft.add([new File(['a'], 'a.txt')]);
  for (let i = 0; i < 10; i++) sessionState('anna', `other-${i}`);
  const { files } = sessionState('anna', 'first').draft.get();
  expect(files.map(({ name }) => name)).toEqual(['a.txt']);
});
