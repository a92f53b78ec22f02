import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { rig } from '../../../test/support/worker-rig.ts';
import { AbortReason, leaveWaiting } from '../handler-result.ts';

test('[Q8] a run that asks waits without a slot and continues when answered', async () => {
  const { queue, worker, reaches, stateOf } = rig();
  const steps: string[] = [];
  queue.register('asks', {
    run: async (_, { wait }) => {
      await wait();
      steps.push('answered');
      await wait();
      return 'twice';
    },
  });
  queue.register('other', { run: () => null });
  const asks = await queue.enqueue({ type: 'asks' });
  const one = worker({ concurrency: 1 });
  await one.start();
  await reaches(asks.id, 'waiting');
  await until(() => one.executing === 0);
  const other = await queue.enqueue({ type: 'other' });
  await reaches(other.id, 'succeeded');
  await queue.answer(asks.id);
  await until(() => steps.length === 1);
  await until(async () => (await stateOf(asks.id)) === 'waiting');
  await queue.answer(asks.id);
  await reaches(asks.id, 'succeeded');
  expect(await queue.get(asks.id)).toMatchObject({ result: 'twice', attempts: 1 });
});

test('[Q9] a run cancelled while it waits ends cancelled; its wait rejects with the reason', async () => {
  const { queue, worker, reaches } = rig();
  let reason: unknown;
  queue.register('asks', {
    run: (_, { wait }) =>
      wait().catch((error: unknown) => {
        reason = error;
        throw error;
      }),
  });
  const { id } = await queue.enqueue({ type: 'asks' });
  await worker().start();
  await reaches(id, 'waiting');
  await queue.cancel(id);
  await reaches(id, 'cancelled');
  expect(reason).toBeInstanceOf(AbortReason);
});

test('[Q8] a handler may leave its question open; the answer queues the run again', async () => {
  const { queue, worker, reaches, log } = rig();
  let calls = 0;
  queue.register('asks', {
    run: async (_, { wait, history }) => {
      if (++calls > 1) return (await history()).map(({ ended }) => ended);
      void wait().catch(() => {});
      return leaveWaiting();
    },
  });
  const { id } = await queue.enqueue({ type: 'asks' });
  await worker().start();
  await until(() => log.of('LeftWaiting').length === 1);
  expect(await queue.get(id)).toMatchObject({ state: 'waiting', attempts: 0 });
  await queue.answer(id);
  await reaches(id, 'succeeded');
  expect(await queue.get(id)).toMatchObject({ result: ['left_waiting'], attempts: 1, crashes: 0 });
});

test('[Q20] a stopping worker releases waiting runs immediately; their questions stay open', async () => {
  const { queue, worker, reaches } = rig();
  queue.register('asks', {
    run: async (_, { wait }) => {
      await wait();
      return 'answered';
    },
  });
  const { id } = await queue.enqueue({ type: 'asks' });
  const first = worker({ graceMs: 60_000 });
  await first.start();
  await reaches(id, 'waiting');
  await until(() => first.executing === 0);
  await first.stop();
  expect(await queue.get(id)).toMatchObject({ state: 'waiting', crashes: 0 });
  await queue.answer(id);
  expect((await queue.get(id))?.state).toBe('queued');
});
