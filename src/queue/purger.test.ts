import { expect, test } from 'vitest';
import { CapturedLog } from '../../test/support/captured-log.ts';
import { until } from '../../test/support/until.ts';
import { Gate } from '../../test/support/worker-rig.ts';
import { BatonError } from '../contract/errors.ts';
import { memoryStore } from './memory/store.ts';
import { Purger } from './purger.ts';
import { RunQueue } from './run-queue.ts';

const DAY = 86_400_000;

test('[Q21] finished runs are removed 7 days after their end, in batches, logged and counted', async () => {
  let now = Date.UTC(2026, 0, 1);
  const clock = () => now;
  const log = new CapturedLog();
  const queue = new RunQueue(memoryStore({ clock }), { clock });
  queue.register('any', {});
  const old = await queue.enqueue(Array.from({ length: 25 }, () => ({ type: 'any' })));
  const open = await queue.enqueue({ type: 'any' });
  for (const { id } of old) await queue.cancel(id);
  now += 6 * DAY;
  const recent = await queue.enqueue({ type: 'any' });
  await queue.cancel(recent.id);
  const purger = new Purger({ store: queue.store, batch: 10, everyMs: 5, log, clock });
  purger.start();
  purger.start();
  now += 1.5 * DAY;
  await until(() => purger.purged === 25);
  await until(() => log.of('Purged').length === 1);
  expect(log.of('Purged')[0]).toMatchObject({ level: 'info', runs: 25 });
  expect(await queue.get(old[0]?.id ?? '')).toBe(null);
  expect((await queue.get(open.id))?.state).toBe('queued');
  expect((await queue.get(recent.id))?.state).toBe('cancelled');
  await purger.stop();
  await purger.stop();
});

test('a failed purge is retried, and stop() waits for the batch in progress', async () => {
  const log = new CapturedLog();
  const gate = new Gate();
  let calls = 0;
  const store = {
    purge: async () => {
      if (++calls === 1) throw new BatonError('database_unreachable');
      await gate.pass();
      return { runs: 1000, lanes: 0 };
    },
  };
  const purger = new Purger({ store, everyMs: 5, log });
  await purger.stop();
  purger.start();
  await until(() => gate.reached === 1);
  expect(log.of('The purge stopped early; retrying later')).toHaveLength(1);
  const stopped = purger.stop();
  gate.open();
  await stopped;
  // The batch was full, but no other was started after the stop.
  expect(calls).toBe(2);
  expect(purger.purged).toBe(1000);
});
