import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PAGE_KEY_HEADER, PAGE_KEY_NAME, PAGE_USER_NAME } from '../../src/contract/page-key.ts';

const items = new Map<string, string>();
beforeEach(() => {
  vi.resetModules();
  items.clear();
  vi.stubGlobal('localStorage', { getItem: (name: string) => items.get(name) ?? null });
  vi.stubGlobal('addEventListener', () => {});
});
afterEach(() => vi.unstubAllGlobals());

const signIn = (user: string, key: string): void => {
  items.set(PAGE_USER_NAME, user);
  items.set(PAGE_KEY_NAME, key);
};

/** The keys that a page sends, which was opened now. */
async function openPage() {
  const sent: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(new Headers(init?.headers).get(PAGE_KEY_HEADER));
    return new Response();
  };
  vi.stubGlobal('fetch', fetch);
  const { fetchWithKey } = await import('./page-key.ts');
  return { sent, ask: () => fetchWithKey('/') };
}

test('[X2] a page never uses the key of another user who signs in', async () => {
  signIn('anna', 'first');
  const { sent, ask } = await openPage();
  await ask();
  signIn('bob', 'theirs');
  await ask();
  signIn('anna', 'second');
  await ask();
  expect(sent).toEqual(['first', 'first', 'second']);
});
