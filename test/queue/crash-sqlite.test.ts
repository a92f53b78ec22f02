import { expect, onTestFinished, test } from 'vitest';
import { type RunQueue, sqliteQueue } from '../../src/library.ts';
import { seeded } from '../support/seeded.ts';
import { until } from '../support/until.ts';
import { type Entry, logOf, now, Scene, step, typesOf, withTypes } from './worker-program.ts';

const LONG = { leaseMs: 60_000 };

/** The queue of a scene whose programs have ended. */
async function open(scene: Scene): Promise<RunQueue> {
  const { sqlite: path } = scene.database as { sqlite: string };
  const queue = withTypes(await sqliteQueue({ path }));
  onTestFinished(() => queue.close());
  return queue;
}

test('[Q7] [Q22] SQLite: after the only process dies, the next one continues with all runs', async () => {
  const scene = new Scene();
  const gate = scene.path('gate');
  const delayMs = 3000;
  const first = await scene.worker(LONG, [
    step('lane', { gate }, { idempotencyKey: 'a' }),
    step('lane', {}, { idempotencyKey: 'b' }),
    step('lane', {}, { idempotencyKey: 'c' }),
    step('later', {}, { idempotencyKey: 'd', delayMs }),
  ]);
  const acknowledged = await scene.recorded({ what: 'acknowledged', key: 'd' });
  const idOf = (key: string) => scene.records({ key })[0]?.run ?? '';
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(idOf) as [string, string, string, string];
  await scene.recorded({ what: 'start', run: a });
  first.kill('SIGKILL');
  await first.exit;
  scene.open(gate);

  const second = await scene.worker(LONG);
  const joinedAt = now();
  const again = await scene.recorded({ what: 'start', run: a, pid: second.pid });
  // The dead process's lease would have lasted at least another 40 s.
  expect(again.at - joinedAt).toBeLessThan(5000);
  await scene.recorded({ what: 'end', run: c });
  const late = await scene.recorded({ what: 'end', run: d });
  expect(late.at - acknowledged.at).toBeGreaterThan(delayMs - 1000);
  expect(await second.stop()).toBe(0);

  const starts = scene.records({ what: 'start', lane: 'lane' }).map(({ run }) => run);
  expect(starts).toEqual([a, a, b, c]);
  const queue = await open(scene);
  expect(await queue.get(a)).toMatchObject({ state: 'succeeded', crashes: 1, attempts: 1 });
  for (const id of [b, c, d]) {
    expect(await queue.get(id)).toMatchObject({ state: 'succeeded', crashes: 0, attempts: 1 });
  }
  const delayed = await queue.get(d);
  expect(delayed?.startedAt).toBeGreaterThanOrEqual(delayed?.runAt ?? Number.NaN);
  expect(delayed?.startedAt).toBeLessThan((delayed?.runAt ?? 0) + 2000);
  const log = await logOf(queue, 'lane');
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
  expect(typesOf(log, a).filter((type) => type === 'run.restarted')).toHaveLength(1);
  const done = log.filter(({ type }) => type === 'done').map(({ runId }) => runId);
  expect(done).toEqual([a, b, c]);
});

const RUNS = 200;
const KILLS = 5;
const LANES = 8;

test('[Q1] [Q10] [Q22] SQLite: with a process killed again and again, every acknowledged run ends exactly once', {
  timeout: 60_000,
}, async () => {
  const scene = new Scene();
  const random = seeded(11);
  const laneOf = Array.from({ length: RUNS }, () => `lane-${Math.floor(random() * LANES)}`);
  const requests = laneOf.map((lane, i) =>
    step(lane, { ms: 1 + Math.floor(random() * 10) }, { idempotencyKey: `key-${i}` }),
  );
  const ended = () => new Set(scene.records({ what: 'end' }).map(({ run }) => run)).size;
  for (let kill = 0; kill < KILLS; kill++) {
    // Each process starts like a client after a crash: by sending everything again.
    const worker = await scene.worker(LONG, requests);
    const moment = Math.floor(((kill + random()) * RUNS) / (KILLS + 1));
    await until(() => ended() > moment);
    worker.kill('SIGKILL');
    await worker.exit;
  }
  const last = await scene.worker(LONG, requests);
  await until(() => ended() === RUNS, { ms: 20_000 });
  await scene.recorded({ what: 'acknowledged', key: `key-${RUNS - 1}`, pid: last.pid });
  expect(await last.stop()).toBe(0);

  const runs = runsByKey(scene.records({ what: 'acknowledged' }));
  expect(runs.size).toBe(RUNS);
  const queue = await open(scene);
  expect(await queue.counts()).toMatchObject({ succeeded: RUNS, queued: 0, running: 0, dead: 0 });
  for (let i = 0; i < LANES; i++) {
    const lane = `lane-${i}`;
    const admitted = [...runs.keys()].filter((key) => laneOf[Number(key.slice(4))] === lane);
    const ids = admitted.map((key) => runs.get(key));
    const log = await logOf(queue, lane);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    const done = log.filter(({ type }) => type === 'done').map(({ runId }) => runId);
    expect(done, lane).toEqual(ids);
    const started = scene.records({ what: 'start', lane }).map(({ run }) => run);
    expect([...new Set(started)], lane).toEqual(ids);
  }
});

/** The run of each key, in the order of the first acknowledgement; a key must never get another run. */
function runsByKey(acknowledged: readonly Entry[]): Map<string, string> {
  const runs = new Map<string, string>();
  for (const { key = '', run } of acknowledged) {
    expect(runs.get(key) ?? run).toBe(run);
    runs.set(key, run);
  }
  return runs;
}
