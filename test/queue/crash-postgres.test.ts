import { expect, test } from 'vitest';
import { logOf, now, postgresScene, step, succeeded, typesOf } from './worker-program.ts';

const AFTER_A_DEATH = [
  'run.queued',
  'run.dequeued',
  'run.start',
  'run.restarted',
  'run.dequeued',
  'run.start',
  'step.left',
  'run.finished',
  'done',
];

test('[Q7] a run of a killed worker continues immediately in another process on the host', async () => {
  const { scene, queue } = await postgresScene();
  const gate = scene.path('gate');
  const long = { leaseMs: 60_000 };
  const first = await scene.worker(long);
  const { id } = await queue.enqueue(step('lane', { gate }));
  await scene.recorded({ what: 'start', pid: first.pid });
  const second = await scene.worker(long);

  const killedAt = now();
  first.kill('SIGKILL');
  const again = await scene.recorded({ what: 'start', pid: second.pid });
  // Its lease would have lasted at least another 40 s.
  expect(again.at - killedAt).toBeLessThan(5000);
  scene.open(gate);
  await succeeded(queue, [id]);
  expect(await queue.get(id)).toMatchObject({
    crashes: 1,
    attempts: 1,
    result: { pid: second.pid },
  });
  expect(typesOf(await logOf(queue, 'lane'))).toEqual(AFTER_A_DEATH);
  expect(scene.records({ what: 'start' }).map(({ attempt }) => attempt)).toEqual([1, 1]);
  expect(second.logged('TakenOver')).toBe(1);
  expect(await second.stop()).toBe(0);
});

test('[Q7] a run of a worker killed on another host continues within 5 s after the lease expires', async () => {
  const { scene, queue } = await postgresScene();
  const gate = scene.path('gate');
  const first = await scene.worker({ leaseMs: 3000, host: 'one' });
  const { id } = await queue.enqueue(step('lane', { gate }));
  await scene.recorded({ what: 'start', pid: first.pid });
  const second = await scene.worker({ leaseMs: 3000, host: 'two' });

  first.kill('SIGKILL');
  await first.exit;
  const nodes = await queue.store.listNodes();
  const leaseUntil = nodes.find(({ pid }) => pid === first.pid)?.leaseUntil ?? Number.NaN;
  await scene.recorded({ what: 'start', pid: second.pid });
  const restarted = (await logOf(queue, 'lane')).find(({ type }) => type === 'run.restarted');
  expect(restarted?.at).toBeGreaterThanOrEqual(leaseUntil);
  expect(restarted?.at).toBeLessThan(leaseUntil + 5000);
  scene.open(gate);
  await succeeded(queue, [id]);
  expect(await queue.get(id)).toMatchObject({ crashes: 1, attempts: 1 });
  expect(typesOf(await logOf(queue, 'lane'))).toEqual(AFTER_A_DEATH);
});
