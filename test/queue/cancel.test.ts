import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/until.ts';
import { logOf, now, postgresScene, step, typesOf } from './worker-program.ts';

const LISTENERS = `FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'LISTEN %'`;

test('[Q9] a worker notices a cancel from another process by notification', async () => {
  const { scene, queue } = await postgresScene();
  // It polls so rarely that only the notification can be the cause.
  await scene.worker({ leaseMs: 600_000, pollMs: 60_000 });
  const { id } = await queue.enqueue(step('lane', { gate: scene.path('never') }));
  await scene.recorded({ what: 'start', run: id });
  const cancelledAt = now();
  await queue.cancel(id);
  const aborted = await scene.recorded({ what: 'abort', run: id });
  expect(aborted.reason).toBe('cancelled');
  expect(aborted.at - cancelledAt).toBeLessThan(1000);
  await until(async () => (await queue.get(id))?.state === 'cancelled');
});

test('[Q9] a worker without notifications notices a cancel within 1 s', async () => {
  const { scene, queue, url } = await postgresScene();
  const database = new URL(url).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  onTestFinished(() => client.end());
  await scene.worker({ concurrency: 1 });
  const { id } = await queue.enqueue(step('lane', { gate: scene.path('never') }));
  const queued = await queue.enqueue(step('lane'));
  await scene.recorded({ what: 'start', run: id });

  // No process can listen again, while the pools keep their connections.
  await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
  await client.query(`SELECT pg_terminate_backend(pid) ${LISTENERS}`, [database]);
  await until(async () => (await client.query(`SELECT ${LISTENERS}`, [database])).rowCount === 0);
  const cancelledAt = now();
  await queue.cancel(id);
  const aborted = await scene.recorded({ what: 'abort', run: id });
  expect(aborted.at - cancelledAt).toBeLessThan(1000);
  await until(async () => (await queue.get(id))?.state === 'cancelled');
  await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);

  const log = await logOf(queue, 'lane');
  expect(typesOf(log, id).filter((type) => type === 'done')).toHaveLength(1);
  expect(log.findLast(({ runId }) => runId === id)).toMatchObject({
    type: 'done',
    payload: { state: 'cancelled' },
  });
  await scene.recorded({ what: 'end', run: queued.id });
});

test('[Q9] a worker notices a cancel while a takeover of another node is blocked', async () => {
  const { scene, queue, url } = await postgresScene();
  const stopped = await scene.worker({ leaseMs: 3000, host: 'one' });
  const [node] = await queue.store.listNodes();
  // Locks the row that a process suspended within a transaction would keep locked.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  stopped.kill('SIGKILL');
  await client.query('BEGIN');
  await client.query('SELECT FROM baton.nodes WHERE id = $1 FOR UPDATE', [node?.id]);
  await scene.worker({ host: 'two' });
  const { id } = await queue.enqueue(step('lane', { gate: scene.path('never') }));
  await scene.recorded({ what: 'start', run: id });
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await queryOnce(url, waiting)) > 0);

  const cancelledAt = now();
  await queue.cancel(id);
  const aborted = await scene.recorded({ what: 'abort', run: id });
  expect(aborted.at - cancelledAt).toBeLessThan(1000);
  await client.query('ROLLBACK');
  await until(async () => (await queue.store.listNodes()).every((each) => each.id !== node?.id));
});

test('[Q9] a queued run cancelled from another process never starts', async () => {
  const { scene, queue } = await postgresScene();
  const gate = scene.path('gate');
  const worker = await scene.worker();
  const [first, second, third] = await queue.enqueue([
    step('lane', { gate }),
    step('lane'),
    step('lane'),
  ]);
  await scene.recorded({ what: 'start', run: first!.id });
  expect(await queue.cancel(second!.id)).toMatchObject({ state: 'cancelled' });
  scene.open(gate);
  await scene.recorded({ what: 'end', run: third!.id });
  expect(scene.records({ run: second!.id })).toEqual([]);
  expect(await worker.stop()).toBe(0);
});

async function queryOnce(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(sql);
  await client.end();
  return rowCount ?? 0;
}
