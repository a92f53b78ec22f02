import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Draft } from './draft.ts';

const stores = {
  localStorage: new Map<string, string>(),
  sessionStorage: new Map<string, string>(),
};
beforeEach(() => {
  for (const [name, items] of Object.entries(stores)) {
    items.clear();
    vi.stubGlobal(name, {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => items.set(key, value),
      removeItem: (key: string) => items.delete(key),
    });
  }
});
afterEach(() => vi.unstubAllGlobals());

/** Each tab has its own session storage. */
const otherTab = (): void => stores.sessionStorage.clear();

test('[C2] [X2] a draft survives a reload and a closed browser, for its author only', () => {
  new Draft('anna', 's').write('hello');
  expect(new Draft('anna', 's').get().text).toBe('hello');
  otherTab();
  expect(new Draft('anna', 's').get().text).toBe('hello');
  expect(new Draft('bob', 's').get().text).toBe('');
  expect(new Draft('anna', 'other').get().text).toBe('');
});

test('[C2] sending in one tab does not discard the draft of another', () => {
  const one = new Draft('anna', 's');
  one.write('mine');
  otherTab();
  new Draft('anna', 's').write('theirs');
  expect(one.take()).toEqual({ text: 'mine', files: [] });
  expect(new Draft('anna', 's').get().text).toBe('theirs');
  new Draft('anna', 's').take();
  otherTab();
  expect(new Draft('anna', 's').get().text).toBe('');
});

test('[C2] a draft that cannot be stored says so', () => {
  const full = () => {
    throw new Error('QuotaExceededError');
  };
  for (const name of Object.keys(stores))
    vi.stubGlobal(name, { getItem: () => null, setItem: full });
  const draft = new Draft('anna', 's');
  draft.write('long');
  expect(draft.get()).toMatchObject({ text: 'long', isStored: false });
});

test('[A11] files read at the same time are all added, and sending waits for them', async () => {
  const draft = new Draft('anna', 's');
  draft.write('see these');
  const reading = [draft.add([new File(['a'], 'a')]), draft.add([new File(['b'], 'b')])];
  expect(draft.take()).toBeNull();
  expect(draft.isIdle).toBe(false);
  await Promise.all(reading);
  expect(draft.get().isReading).toBe(false);
  draft.remove(draft.get().files[0]!.id);
  await draft.add([new File(['c'], 'c')]);
  expect(draft.take()?.files.map(({ name }) => name)).toEqual(['b', 'c']);
  expect(draft.get()).toMatchObject({ text: '', files: [] });
  expect(draft.take()).toBeNull();
});

test('[C2] an unsent message is returned whole, before what was written since', async () => {
  const draft = new Draft('anna', 's');
  await draft.add([new File(['a'], 'a')]);
  draft.write('first');
  const sent = draft.take()!;
  draft.write('second');
  await draft.add([new File(['b'], 'b')]);
  draft.returnToDraft(sent);
  expect(draft.get().text).toBe('first\nsecond');
  expect(draft.get().files.map(({ name }) => name)).toEqual(['a', 'b']);
});
