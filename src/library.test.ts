import { expect, test } from 'vitest';
import { z } from 'zod';
import { until } from '../test/support/until.ts';
import * as library from './library.ts';

test('[Q18] a program registers, enqueues, executes and reads with the library alone', async () => {
  const queue = library.memoryQueue();
  queue.register('greet', {
    payload: z.object({ name: z.string() }),
    run: ({ name }, { progress }) => progress({ name }).then(() => `Hello ${name}`),
  });
  const worker = new library.Worker(queue, { concurrency: 2 });
  await worker.start();
  const { id } = await queue.enqueue({ type: 'greet', payload: { name: 'you' } });
  await until(async () => (await queue.get(id))?.state === 'succeeded');
  expect((await queue.get(id))?.result).toBe('Hello you');
  expect((await queue.counts()).succeeded).toBe(1);
  await worker.stop();
  await queue.close();
});

test('the library exports what its users need', () => {
  const wanted = [
    'AbortReason',
    'BatonError',
    'HandlerError',
    'Purger',
    'RunQueue',
    'Scheduler',
    'Worker',
  ];
  const functions = ['fail', 'handBack', 'leaveWaiting', 'memoryQueue', 'park'];
  expect(Object.keys(library)).toEqual(expect.arrayContaining([...wanted, ...functions]));
});
