import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PAGE_KEY_HEADER, PAGE_KEY_NAME, PAGE_USER_NAME } from '../../src/contract/page-key.ts';

const items = new Map<string, string>();
beforeEach(() => {
  items.clear();
  vi.stubGlobal('localStorage', { getItem: (name: string) => items.get(name) ?? null });
  vi.stubGlobal('addEventListener', () => {});
});
afterEach(() => vi.unstubAllGlobals());

const signIn = (user: string, key: string): void => {
  items.set(PAGE_USER_NAME, user);
  items.set(PAGE_KEY_NAME, key);
};

let pages = 0;

/** The keys that a page sends, which was opened now. Each page has a module of its own. */
async function openPage() {
  const sent: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(new Headers(init?.headers).get(PAGE_KEY_HEADER));
    return new Response();
  };
  vi.stubGlobal('fetch', fetch);
  const path = `./page-key.ts?page=${pages++}`;
  const { fetchWithKey } = (await import(path)) as typeof import('./page-key.ts');
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
