import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { postgresQueue } from '../../src/library.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/until.ts';
import { logOf, Scene, step, succeeded, typesOf, withTypes } from './worker-program.ts';

// A separate server, because the test stops and starts it.
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.remove());

test('[O5] after an outage of the database running attempts end, and everything continues by itself', {
  timeout: 60_000,
}, async () => {
  const scene = new Scene({ postgres: server.url });
  const queue = withTypes(await postgresQueue({ url: server.url }));
  onTestFinished(() => queue.close());
  const [soon, late, never] = ['soon', 'late', 'never'].map((name) => scene.path(name));
  // Polls all the time, so the server stops while a connection is in use.
  const patient = await scene.worker({ concurrency: 2, leaseMs: 30_000, pollMs: 2, host: 'one' });
  const before = await queue.enqueue(step('before', { gate: soon! }));
  const after = await queue.enqueue(step('after', { gate: late! }));
  await until(async () => (await queue.list({ states: ['running'] })).length === 2);
  const hasty = await scene.worker({ concurrency: 1, leaseMs: 3000, host: 'two' });
  const cut = await queue.enqueue(step('cut', { gate: never! }));
  await until(async () => (await queue.get(cut.id))?.state === 'running');
  const waiting = Array.from({ length: 40 }, (_, i) => step(`lane-${i % 10}`, { ms: 5 }));
  const queued = await queue.enqueue(waiting);

  await server.stop('immediate');
  for (const worker of [patient, hasty]) {
    await until(() => worker.logged('The database is not responding; retrying') > 0);
  }
  // One run ends while the database is away, the other after it is back.
  scene.open(soon!);
  await scene.recorded({ what: 'end', run: before.id });
  // The worker stops trusting its lease by itself.
  const lost = await scene.recorded({ what: 'abort', run: cut.id });
  expect(lost.reason).toBe('lost');
  scene.open(never!);
  await server.start();
  await until(() => patient.logged('The database is responding again') > 0, { ms: 20_000 });
  scene.open(late!);

  await succeeded(queue, [before.id, after.id, cut.id, ...queued.map(({ id }) => id)]);
  for (const { id } of [before, after]) {
    expect(await queue.get(id)).toMatchObject({ attempts: 1, crashes: 0 });
    expect(scene.records({ what: 'start', run: id })).toHaveLength(1);
  }
  expect(await queue.get(cut.id)).toMatchObject({ attempts: 1, crashes: 1 });
  for (const lane of ['before', 'after', 'cut']) {
    const log = await logOf(queue, lane);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    expect(typesOf(log).filter((type) => type === 'done')).toHaveLength(1);
  }
  for (const worker of [patient, hasty]) {
    expect(await worker.stop()).toBe(0);
    expect(worker.stderr()).toBe('');
  }
  expect(await queue.store.listNodes()).toEqual([]);
});
