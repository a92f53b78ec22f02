import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BatonError } from '../../../src/contract/errors.ts';
import type { OutgoingMessage } from './outbox.ts';
import { entryOf, outboxPrefix, outboxStorage, parseOutboxName } from './outbox-storage.ts';

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

const message = (
  key: string,
  at: number,
  more: Partial<OutgoingMessage> = {},
): OutgoingMessage => ({
  key,
  at,
  text: `text of ${key}`,
  onBusy: 'steer',
  files: [],
  ...more,
});

test('[C2] messages are restored in the order they were written, with the reason they were refused', async () => {
  const store = outboxStorage('anna', 's1');
  await store.save(message('later', 2), new BatonError('queue_full', 'Full.'), true);
  await store.save(message('first', 1), null, true);
  expect(await outboxStorage('anna', 's1').load()).toMatchObject([
    { key: 'first', at: 1, text: 'text of first', onBusy: 'steer', refusal: null, missing: [] },
    { key: 'later', refusal: { code: 'queue_full', message: 'Full.' } },
  ]);
  store.drop('first');
  expect((await store.load()).map(({ key }) => key)).toEqual(['later']);
});

test('[X2] [C2] messages belong to a user and a session, and each tab changes only its own', async () => {
  const anna = outboxStorage('anna', 's1');
  await anna.save(message('a', 1), null, true);
  await outboxStorage('bob', 's1').save(message('b', 1), null, true);
  await outboxStorage('anna', 's2').save(message('c', 1), null, true);
  expect((await outboxStorage('anna', 's1').load()).map(({ key }) => key)).toEqual(['a']);
  expect((await outboxStorage('ann', 's1').load()).map(({ key }) => key)).toEqual([]);
  outboxStorage('anna', 's1').drop('other');
  expect([...items.keys()].filter((name) => name.startsWith(outboxPrefix('anna')))).toHaveLength(2);
  expect(parseOutboxName([...items.keys()][0]!)).toEqual({ sessionId: 's1', key: 'a' });
  for (const other of ['baton.theme', 'baton.outgoing/x'])
    expect(parseOutboxName(other)).toBeNull();
});

test('[A11] a message is stored without files that cannot be stored, and lists them', async () => {
  const files = [{ id: '1', name: 'a.txt', mediaType: 'text/plain', bytes: 1, data: 'YQ==' }];
  const store = outboxStorage('anna', 's1');
  await store.save(message('a', 1, { files }), null, true);
  expect(await store.load()).toMatchObject([{ text: 'text of a', files: [], missing: ['a.txt'] }]);
});

test('entries of another shape are ignored', async () => {
  items.set('baton.outgoing/anna/s1/broken', '{');
  items.set('baton.outgoing/anna/s1/number', '1');
  expect(await outboxStorage('anna', 's1').load()).toEqual([]);
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
  // A refusal is kept, whatever its reason.
  expect(entryOf({ ...good, refusal: { code: 'of_the_future' } })?.refusal?.code).toBe('internal');
  expect(entryOf({ ...good, refusal: 1 })?.refusal?.code).toBe('internal');
});
