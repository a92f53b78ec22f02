import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { logOf, postgresScene, step, succeeded, typesOf } from './worker-program.ts';

test('[Q20] a stopping worker lets runs end within the grace period and hands back the others', async () => {
  const { scene, queue } = await postgresScene();
  const [soon, later] = [scene.path('soon'), scene.path('later')];
  const first = await scene.worker({ graceMs: 1500, leaseMs: 60_000 });
  const quick = await queue.enqueue(step('quick', { gate: soon }));
  const slow = await queue.enqueue(step('slow', { gate: later }));
  const behind = await queue.enqueue(step('slow'));
  await scene.recorded({ what: 'start', run: quick.id });
  await scene.recorded({ what: 'start', run: slow.id });
  const second = await scene.worker({ leaseMs: 60_000 });

  const exit = first.stop();
  await first.line('Stopping ');
  // It claims nothing more: this run goes to the other worker.
  const fresh = await queue.enqueue(step('fresh'));
  scene.open(soon);
  expect(await exit).toBe(0);
  expect(first.stderr()).toBe('');
  expect((await queue.store.listNodes()).map(({ pid }) => pid)).toEqual([second.pid]);
  const running = await queue.list({ states: ['dequeued', 'running'] });
  expect(running.filter(({ lane }) => lane !== 'slow' && lane !== 'fresh')).toEqual([]);
  await scene.recorded({ what: 'start', run: slow.id, pid: second.pid });
  scene.open(later);
  await succeeded(queue, [quick.id, slow.id, behind.id, fresh.id]);

  expect(await queue.get(quick.id)).toMatchObject({ result: { pid: first.pid }, attempts: 1 });
  expect(await queue.get(fresh.id)).toMatchObject({ result: { pid: second.pid } });
  const continued = { result: { pid: second.pid }, attempts: 1, crashes: 0 };
  expect(await queue.get(slow.id)).toMatchObject(continued);
  expect(scene.records({ what: 'abort' })).toMatchObject([
    { run: slow.id, pid: first.pid, reason: 'shutdown' },
  ]);
  const types = typesOf(await logOf(queue, 'slow'), slow.id);
  expect(types.filter((type) => type === 'run.handed_back')).toHaveLength(1);
  expect(types.filter((type) => type === 'done')).toHaveLength(1);
  const order = scene.records({ run: slow.id }).map(({ what, pid }) => [what, pid]);
  expect(order).toEqual([
    ['start', first.pid],
    ['abort', first.pid],
    ['end', first.pid],
    ['start', second.pid],
    ['end', second.pid],
  ]);
  expect(await second.stop()).toBe(0);
  expect(await queue.store.listNodes()).toEqual([]);
});

test('[Q20] without another worker, handed-back runs wait, and none stays running', async () => {
  const { scene, queue } = await postgresScene();
  const worker = await scene.worker({ graceMs: 100, leaseMs: 60_000 });
  const gate = scene.path('gate');
  const lanes = Array.from({ length: 5 }, (_, i) => step(`lane-${i}`, { gate }));
  await queue.enqueue([...lanes, ...lanes]);
  await until(() => scene.records({ what: 'start' }).length === lanes.length);
  expect(await worker.stop()).toBe(0);
  expect(await queue.list({ states: ['dequeued', 'running'] })).toEqual([]);
  const queued = await queue.list({ states: ['queued'] });
  expect(queued).toHaveLength(2 * lanes.length);
  expect(queued.every(({ attempts, crashes }) => attempts + crashes === 0)).toBe(true);
  expect(worker.stderr()).toBe('');
});
