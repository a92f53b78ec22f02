import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { postgresQueue, Worker } from '../../library.ts';

test('[E1] [Q6] events take one statement: numbered without gaps among commands, none twice, none under an old fence', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const queue = await postgresQueue({ url: database.url });
  const over = Promise.withResolvers<void>();
  const held = Promise.withResolvers<number>();
  queue.register('talks', {
    run: async (_, { progress, run }) => {
      const [lane] = [await queue.getLane(run.lane)];
      held.resolve(lane?.fence ?? 0);
      for (let i = 0; i < 50; i++) await progress({ i });
      await over.promise;
    },
  });
  const worker = new Worker(queue);
  onTestFinished(async () => {
    await worker.stop();
    await queue.close();
  });
  await worker.start();
  const { id } = await queue.enqueue({ type: 'talks', lane: 'talk' });
  const fence = await held.promise;
  // Others write to the same log at the same time.
  for (let i = 0; i < 20; i++) {
    const event = eventOf('agent.notice', { text: `note ${i}` });
    await queue.store.change({ do: 'note', lane: 'talk', event });
  }
  const said = async () =>
    (await queue.events('talk', { limit: 1000 })).filter(({ type }) => type === 'run.progress');
  await until(async () => (await said()).length === 50);
  expect((await said()).map(({ payload }) => (payload as { i: number }).i)).toEqual(
    Array.from({ length: 50 }, (_, i) => i),
  );
  expect((await said())[0]).toMatchObject({ runId: id, attempt: 1 });

  const event = eventOf('run.progress', { i: 0 });
  const write = (no: number, of = fence) =>
    queue.store.write([{ lane: 'talk', fence: of, no, events: [event] }]);
  // A known number is not written again but reported as done; another fence is not the lane's.
  expect(await write(1)).toEqual([true]);
  expect(await write(10_000, fence + 1)).toEqual([false]);
  expect(await write(10_000, 0)).toEqual([false]);
  expect(await said()).toHaveLength(50);
  over.resolve();
  await until(async () => (await queue.get(id))?.state === 'succeeded');
  expect(await write(10_001)).toEqual([false]);
  const log = await queue.events('talk', { limit: 1000 });
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
});
