import { afterEach, expect, test, vi } from 'vitest';
import { newKey } from '../parts/new-key.ts';
import { parseStored, readStored, storedNames, writeStored } from './stored.ts';

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

test('[C2] values are stored until they are removed, separately per browser and tab', () => {
  vi.stubGlobal('localStorage', storeOf());
  vi.stubGlobal('sessionStorage', storeOf());
  expect(writeStored('a.1', 'one')).toBe(true);
  expect(writeStored('a.2', 'tab', 'tab')).toBe(true);
  expect([readStored('a.1'), readStored('a.2'), readStored('a.2', 'tab')]).toEqual([
    'one',
    null,
    'tab',
  ]);
  writeStored('b', 'two');
  expect(storedNames('a.')).toEqual(['a.1']);
  writeStored('a.1', '');
  expect(storedNames('a.')).toEqual([]);
});

test('[C2] a full or forbidden store does not break the page', () => {
  const full = storeOf(() => {
    throw new Error('QuotaExceededError');
  });
  vi.stubGlobal('localStorage', full);
  expect(writeStored('a', 'x')).toBe(false);
  expect(writeStored('a', null)).toBe(true);
  vi.stubGlobal('localStorage', undefined);
  expect(writeStored('a', 'x')).toBe(false);
  expect(readStored('a')).toBeNull();
  expect(storedNames('')).toEqual([]);
});

test('invalid JSON is undefined', () => {
  for (const bad of [null, '', '{', 'undefined']) expect(parseStored(bad)).toBeUndefined();
  expect(parseStored('{"a":1}')).toEqual({ a: 1 });
});

test('[Q10] a key is generated without APIs limited to secure pages', () => {
  vi.stubGlobal('crypto', { getRandomValues: (of: Uint8Array) => of.fill(10) });
  expect(newKey()).toBe('0a'.repeat(16));
});
