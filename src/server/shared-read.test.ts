import { expect, test } from 'vitest';
import { sharedRead } from './shared-read.ts';

test('[O5] callers share a read that hangs, each up to its patience; a later call starts a new read', async () => {
  const hanging = Promise.withResolvers<string>();
  const answers = [() => hanging.promise, async () => 'second', () => Promise.reject(new Error())];
  let asked = 0;
  const read = sharedRead(() => (answers[asked++] as () => Promise<string>)(), 5);
  expect(await Promise.all([read(), read()])).toEqual([null, null]);
  expect(await read()).toBeNull();
  expect(asked).toBe(1);
  hanging.resolve('first');
  expect(await read()).toBe('first');
  expect(await read()).toBe('second');
  expect(await read()).toBeNull();
  expect(asked).toBe(3);
});
