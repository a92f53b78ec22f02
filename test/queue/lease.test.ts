import { describe, expect, test } from 'vitest';
import { type RunQueue, sqliteQueue } from '../../src/library.ts';
import { until } from '../support/until.ts';
import { logOf, postgresScene, Scene, step, succeeded, typesOf } from './worker-program.ts';

describe('a worker that lost its runs', () => {
  test('[Q6] [Q22] suspended past its lease and resumed, it changes nothing and continues as a new node', {
    timeout: 60_000,
  }, async () => {
    const { scene, queue } = await postgresScene();
    const gate = scene.path('gate');
    const first = await scene.worker({ leaseMs: 3000 });
    const { id } = await queue.enqueue(step('lane', { gate }));
    await scene.recorded({ what: 'start', pid: first.pid });
    const second = await scene.worker({ leaseMs: 3000 });

    first.kill('SIGSTOP');
    // If suspended within a transaction, it keeps its locks until the server ends it after 15 s.
    await scene.recorded({ what: 'start', pid: second.pid }, 30_000);
    scene.open(gate);
    await succeeded(queue, [id]);
    const log = await logOf(queue, 'lane');
    const run = await queue.get(id);
    expect(run).toMatchObject({ crashes: 1, attempts: 1, result: { pid: second.pid } });

    first.kill('SIGCONT');
    const aborted = await scene.recorded({ what: 'abort', pid: first.pid });
    expect(aborted.reason).toBe('lost');
    await scene.recorded({ what: 'end', pid: first.pid });
    await scene.recorded({ what: 'refused', pid: first.pid });
    await until(() => first.logged('Joined') === 2);

    expect(await second.stop()).toBe(0);
    const next = await queue.enqueue(step('another lane'));
    await succeeded(queue, [next.id]);
    expect(scene.records({ run: next.id, what: 'start' })).toMatchObject([{ pid: first.pid }]);
    expect(await first.stop()).toBe(0);
    expect(await logOf(queue, 'lane')).toEqual(log);
    expect(await queue.get(id)).toEqual(run);
    expect(typesOf(log).filter((type) => type === 'done')).toHaveLength(1);
  });

  test('[Q6] [Q22] late writes that reach the database are refused by their fence', async () => {
    const { scene, queue } = await postgresScene();
    const block = scene.path('block');
    const gate = scene.path('gate');
    // With a lease this long it does not notice the takeover by itself.
    const first = await scene.worker({ leaseMs: 300_000 });
    const [node] = await queue.store.listNodes();
    const { id } = await queue.enqueue(step('lane', { block }));
    await scene.recorded({ what: 'start', pid: first.pid });
    const second = await scene.worker({ leaseMs: 300_000 });

    // Declared dead from outside, like a machine that was paused together with its clock.
    expect(await queue.store.takeOver([node?.id ?? ''])).toHaveLength(1);
    await succeeded(queue, [id]);
    const behind = await queue.enqueue(step('lane', { gate }));
    await until(async () => (await queue.get(behind.id))?.state === 'running');
    const log = await logOf(queue, 'lane');
    // Its next writes are about the same lane, where the second worker executes a run.
    scene.open(block);
    await scene.recorded({ what: 'refused', pid: first.pid });
    await until(() => first.logged('Lost') === 1);
    expect(await first.stop()).toBe(0);
    expect(await logOf(queue, 'lane')).toEqual(log);

    scene.open(gate);
    await succeeded(queue, [behind.id]);
    for (const run of [id, behind.id]) {
      expect(await queue.get(run)).toMatchObject({ result: { pid: second.pid } });
    }
    expect(typesOf(await logOf(queue, 'lane')).filter((type) => type === 'done')).toHaveLength(2);
  });
});

describe('a worker whose event loop is blocked for several leases', () => {
  test('[Q6] keeps its runs on PostgreSQL', async () => {
    const { scene, queue } = await postgresScene();
    // Longer than the renewing thread needs to start on a busy machine.
    const leaseMs = 3000;
    const first = await scene.worker({ leaseMs, host: 'one' });
    const gate = scene.path('gate');
    const beside = await queue.enqueue(step('beside', { gate }));
    await scene.recorded({ what: 'start', run: beside.id });
    await renewed(queue);
    const blocked = await queue.enqueue(step('blocked', { blockMs: 7000 }));
    await scene.recorded({ what: 'start', run: blocked.id });
    const second = await scene.worker({ leaseMs, host: 'two' });
    await succeeded(queue, [blocked.id]);
    scene.open(gate);
    await succeeded(queue, [beside.id]);

    for (const { id } of [blocked, beside]) {
      expect(await queue.get(id)).toMatchObject({ crashes: 0, attempts: 1 });
      expect(scene.records({ run: id, what: 'start' })).toMatchObject([{ pid: first.pid }]);
    }
    expect(scene.records({ what: 'abort' })).toEqual([]);
    expect(first.logged('LeaseLost') + second.logged('TakenOver')).toBe(0);
    expect(await first.stop()).toBe(0);
  });

  test('[Q6] keeps its runs on SQLite', async () => {
    const scene = new Scene();
    const gate = scene.path('gate');
    const runs = [step('beside', { gate }), step('blocked', { blockMs: 7000 })];
    const only = await scene.worker({ leaseMs: 3000 }, runs);
    await scene.recorded({ what: 'end', lane: 'blocked' });
    scene.open(gate);
    await scene.recorded({ what: 'end', lane: 'beside' });
    expect(await only.stop()).toBe(0);

    expect(only.logged('LeaseLost')).toBe(0);
    expect(scene.records({ what: 'abort' })).toEqual([]);
    const { sqlite: path } = scene.database as { sqlite: string };
    const queue = await sqliteQueue({ path });
    const stored = await queue.list();
    await queue.close();
    expect(stored).toHaveLength(2);
    for (const run of stored) {
      expect(run).toMatchObject({ state: 'succeeded', crashes: 0, attempts: 1 });
      expect(scene.records({ run: run.id, what: 'start' })).toHaveLength(1);
    }
  });
});

/** Waits until the only node's lease has been renewed. */
async function renewed(queue: RunQueue): Promise<void> {
  const leaseUntil = async () => (await queue.store.listNodes())[0]?.leaseUntil ?? Number.NaN;
  const before = await leaseUntil();
  await until(async () => (await leaseUntil()) > before);
}
