import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { testStore } from '../../test/support/sqlite.ts';
import { until } from '../../test/support/until.ts';
import { BatonError } from '../contract/errors.ts';
import { RunQueue } from '../queue/run-queue.ts';
import { Worker } from '../queue/worker/worker.ts';
import { NodeReport } from './node-report.ts';

async function rig() {
  const store = await testStore({ path: join(temporaryDirectory(), 'baton.db') });
  const worker = new Worker(new RunQueue(store));
  await worker.start();
  const node = { streams: 3, away: false, noFiles: false };
  const warnings: string[] = [];
  const report = new NodeReport({
    store: {
      saveLoad: (id, load) => {
        if (node.away) return Promise.reject(new BatonError('database_unreachable'));
        return store.saveLoad(id, load);
      },
    },
    nodeId: () => worker.nodeId,
    streams: () => {
      if (node.noFiles) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return node.streams;
    },
    log: { warn: (_fields, message) => warnings.push(message) },
    everyMs: 5,
  });
  onTestFinished(async () => {
    await report.stop();
    await worker.stop();
    await store.close();
  });
  const load = async () => (await store.listNodeViews())[0]?.load ?? null;
  return { report, node, load, warnings };
}

test('[H6] a node reports its load periodically', async () => {
  const { report, node, load } = await rig();
  expect(await load()).toBeNull();
  report.start();
  report.start();
  await until(async () => (await load())?.streams === 3);
  expect(await load()).toMatchObject({
    cpu: expect.any(Number),
    memoryBytes: expect.any(Number),
    eventLoopDelayMs: expect.any(Number),
    at: expect.any(String),
  });
  expect((await load())?.memoryBytes).toBeGreaterThan(1024 * 1024);
  node.streams = 4;
  await until(async () => (await load())?.streams === 4);
});

test('[O5] a report is lost while the database is away, and the next one is stored', async () => {
  const { report, node, load, warnings } = await rig();
  node.away = true;
  await report.send();
  expect(await load()).toBeNull();
  node.away = false;
  await report.send();
  expect(await load()).not.toBeNull();
  expect(warnings).toEqual([]);
});

test('[H9] a report that fails for lack of file descriptors does not affect the next one', async () => {
  const { report, node, load, warnings } = await rig();
  node.noFiles = true;
  report.start();
  await until(() => warnings.length > 1);
  expect(warnings[0]).toBe('Could not report the load on this node');
  node.noFiles = false;
  await until(async () => (await load()) !== null);
});

test('a report can be stopped twice and started again', async () => {
  const { report, node, load } = await rig();
  await report.stop();
  report.start();
  await report.stop();
  await report.stop();
  node.streams = 9;
  report.start();
  await until(async () => (await load())?.streams === 9);
});
