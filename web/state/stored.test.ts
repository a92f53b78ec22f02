import { afterEach, expect, test, vi } from 'vitest';
import { newKey } from '../parts/new-key.ts';
import { keep, kept, keptNames, parsed } from './stored.ts';

afterEach(() => vi.unstubAllGlobals());

const storeOf = (setItem?: () => void) => {
  const items: Record<string, string> = {};
  const methods = {
    getItem: (name: string) => items[name] ?? null,
    setItem: setItem ?? ((name: string, value: string) => Object.assign(items, { [name]: value })),
    removeItem: (name: string) => delete items[name],
  };
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(items, name, { value });
  }
  return items;
};

test('[C2] what is kept is there until it is forgotten, each store by itself', () => {
  vi.stubGlobal('localStorage', storeOf());
  vi.stubGlobal('sessionStorage', storeOf());
  expect(keep('a.1', 'one')).toBe(true);
  expect(keep('a.2', 'tab', 'tab')).toBe(true);
  expect([kept('a.1'), kept('a.2'), kept('a.2', 'tab')]).toEqual(['one', null, 'tab']);
  keep('b', 'two');
  expect(keptNames('a.')).toEqual(['a.1']);
  keep('a.1', '');
  expect(keptNames('a.')).toEqual([]);
});

test('[C2] a full or forbidden store breaks nothing', () => {
  const full = storeOf(() => {
    throw new Error('QuotaExceededError');
  });
  vi.stubGlobal('localStorage', full);
  expect(keep('a', 'x')).toBe(false);
  expect(keep('a', null)).toBe(true);
  vi.stubGlobal('localStorage', undefined);
  expect(keep('a', 'x')).toBe(false);
  expect(kept('a')).toBeNull();
  expect(keptNames('')).toEqual([]);
});

test('what is no JSON is nothing', () => {
  for (const bad of [null, '', '{', 'undefined']) expect(parsed(bad)).toBeUndefined();
  expect(parsed('{"a":1}')).toEqual({ a: 1 });
});

test('[Q10] a key is made without what only secure pages have', () => {
  vi.stubGlobal('crypto', { getRandomValues: (of: Uint8Array) => of.fill(10) });
  expect(newKey()).toBe('0a'.repeat(16));
});
