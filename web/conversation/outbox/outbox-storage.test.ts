import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BatonError } from '../../../src/contract/errors.ts';
import type { Letter } from './outbox.ts';
import { entryOf, letterAt, letterStore, lettersOf } from './outbox-storage.ts';

const items = new Map<string, string>();
beforeEach(() => {
  items.clear();
  const methods = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  };
  const ownKeys = () => [...items.keys()];
  const getOwnPropertyDescriptor = () => ({ enumerable: true, configurable: true });
  vi.stubGlobal('localStorage', new Proxy(methods, { ownKeys, getOwnPropertyDescriptor }));
});
afterEach(() => vi.unstubAllGlobals());

const letter = (key: string, at: number, more: Partial<Letter> = {}): Letter => ({
  key,
  at,
  text: `text of ${key}`,
  onBusy: 'steer',
  files: [],
  ...more,
});

test('[C2] letters come back in the order they were written, with why they were refused', async () => {
  const store = letterStore('anna', 's1');
  await store.keep(letter('later', 2), new BatonError('queue_full', 'Full.'), true);
  await store.keep(letter('first', 1), null, true);
  expect(await letterStore('anna', 's1').load()).toMatchObject([
    { key: 'first', at: 1, text: 'text of first', onBusy: 'steer', refusal: null, missing: [] },
    { key: 'later', refusal: { code: 'queue_full', message: 'Full.' } },
  ]);
  store.drop('first');
  expect((await store.load()).map(({ key }) => key)).toEqual(['later']);
});

test('[X2] [C2] they belong to a person and a session, and each tab touches its own only', async () => {
  const anna = letterStore('anna', 's1');
  await anna.keep(letter('a', 1), null, true);
  await letterStore('bob', 's1').keep(letter('b', 1), null, true);
  await letterStore('anna', 's2').keep(letter('c', 1), null, true);
  expect((await letterStore('anna', 's1').load()).map(({ key }) => key)).toEqual(['a']);
  expect((await letterStore('ann', 's1').load()).map(({ key }) => key)).toEqual([]);
  letterStore('anna', 's1').drop('other');
  expect([...items.keys()].filter((name) => name.startsWith(lettersOf('anna')))).toHaveLength(2);
  expect(letterAt([...items.keys()][0]!)).toEqual({ sessionId: 's1', key: 'a' });
  for (const other of ['baton.theme', 'baton.letter/x']) expect(letterAt(other)).toBeNull();
});

test('[A11] a message is kept without its files if they cannot be, and says which', async () => {
  const files = [{ id: '1', name: 'a.txt', mediaType: 'text/plain', bytes: 1, data: 'YQ==' }];
  const store = letterStore('anna', 's1');
  await store.keep(letter('a', 1, { files }), null, true);
  expect(await store.load()).toMatchObject([{ text: 'text of a', files: [], missing: ['a.txt'] }]);
});

test('what has another shape is nothing', async () => {
  items.set('baton.letter/anna/s1/broken', '{');
  items.set('baton.letter/anna/s1/number', '1');
  expect(await letterStore('anna', 's1').load()).toEqual([]);
  const good = { at: 1, text: 'x', onBusy: 'enqueue', names: [], refusal: null };
  expect(entryOf(good)).not.toBeNull();
  for (const bad of [
    null,
    [],
    'x',
    { ...good, at: '1' },
    { ...good, text: '' },
    { ...good, text: {} },
    { ...good, onBusy: 'later' },
    { ...good, names: [1] },
    { ...good, names: null },
  ]) {
    expect(entryOf(bad)).toBeNull();
  }
  // That it was refused is not forgotten, whatever the reason was.
  expect(entryOf({ ...good, refusal: { code: 'of_the_future' } })?.refusal?.code).toBe('internal');
  expect(entryOf({ ...good, refusal: 1 })?.refusal?.code).toBe('internal');
});
