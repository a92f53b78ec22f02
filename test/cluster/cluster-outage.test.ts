import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { isAlive, temporaryDirectory } from '../support/processes.ts';
import { type Server, TOKEN } from '../support/server-rig.ts';
import { SseReader } from '../support/sse-reader.ts';
import { until } from '../support/until.ts';
import { WsReader } from '../support/ws-reader.ts';
import { Cluster, PATIENCE_MS, sessionOn } from './cluster-rig.ts';

// A separate server, because the tests stop and start it.
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.remove());

/** A cluster with its own database on that server. */
async function clusterIn(name: string): Promise<Cluster> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return new Cluster(Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href);
}

const SOON = { ms: PATIENCE_MS, every: 50 };
const auth = { authorization: `Bearer ${TOKEN}` };

async function sse(api: Server, path: string): Promise<SseReader> {
  const reader = new SseReader(await fetch(`${api.url}${path}`, { headers: auth }));
  onTestFinished(() => reader.stop());
  return reader;
}

/** A command that records its pid and waits for its gate file. */
const waits = (directory: string, name: string): string =>
  `echo $$ >> ${directory}/${name}.pids; echo before
until [ -e ${directory}/${name}.gate ]; do sleep 0.1; done; echo after`;

const pidsOf = (directory: string, name: string): number[] => {
  const file = join(directory, `${name}.pids`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
};

test('[O5] the database is down: 503 on both nodes, streams stay open, agents are kept for the lease, and everything recovers by itself', async () => {
  const cluster = await clusterIn('away');
  const [first, second] = await cluster.apis({ host: 'three', leaseSeconds: 3 });
  await cluster.node('worker', { host: 'patient', leaseSeconds: 120 });
  await cluster.node('worker', { host: 'hasty', leaseSeconds: 6 });
  const [kept, cut] = [await sessionOn('patient', first), await sessionOn('hasty', first)];
  const directory = temporaryDirectory();
  const runs = {
    kept: await first.send(kept.id, waits(directory, 'kept')),
    cut: await first.send(cut.id, waits(directory, 'cut')),
  };
  await first.inState(runs.kept, 'running', PATIENCE_MS);
  await first.inState(runs.cut, 'running', PATIENCE_MS);
  await until(
    () => [pidsOf(directory, 'kept'), pidsOf(directory, 'cut')].every((p) => p.length),
    SOON,
  );
  const [keptPid, cutPid] = [pidsOf(directory, 'kept')[0]!, pidsOf(directory, 'cut')[0]!];

  const streams = [
    await sse(first, `/api/v1/sessions/${kept.id}/events`),
    await sse(second, `/api/v1/runs/${runs.cut}/events`),
  ] as const;
  const hints = await sse(second, '/api/v1/events');
  const socket = await new WsReader(`${second.url}/ws/sessions/${cut.id}`, auth).open();
  onTestFinished(() => socket.socket.terminate());

  await postgres.stop('immediate');
  for (const api of [first, second]) {
    for (const [method, path, body] of [
      ['GET', `/api/v1/sessions/${kept.id}`, undefined],
      ['POST', `/api/v1/sessions/${kept.id}/messages`, { message: 'echo lost' }],
      ['GET', `/api/v1/sessions/${kept.id}/events`, undefined],
    ] as const) {
      const answer = await api.fetch(method, path, body);
      expect(answer.status, path).toBe(503);
      expect(Number(answer.headers.get('retry-after')), path).toBeGreaterThan(0);
      expect(await answer.json()).toMatchObject({ error: { code: 'database_unreachable' } });
    }
    expect((await api.fetch('GET', '/healthz')).status).toBe(200);
    await until(async () => (await api.fetch('GET', '/readyz')).status === 503, SOON);
  }
  // The lease of its worker has ended; the other worker's lease and its agent continue.
  await until(() => !isAlive(cutPid), SOON);
  expect(isAlive(keptPid)).toBe(true);

  await postgres.start();
  await until(async () => (await second.fetch('GET', `/api/v1/runs/${runs.cut}`)).ok, SOON);
  await until(() => pidsOf(directory, 'cut').length === 2, SOON);
  expect(isAlive(keptPid)).toBe(true);
  for (const name of ['kept', 'cut']) writeFileSync(join(directory, `${name}.gate`), '');
  expect(await second.finished(runs.kept, PATIENCE_MS)).toMatchObject({
    state: 'succeeded',
    attempts: 1,
    crashes: 0,
  });
  expect(await first.finished(runs.cut, PATIENCE_MS)).toMatchObject({
    state: 'succeeded',
    attempts: 1,
    crashes: 1,
  });
  expect(pidsOf(directory, 'kept')).toEqual([keptPid]);

  // No reader was disconnected, and none missed an event.
  const isDone = (run: string) => (reader: SseReader) =>
    reader.messages.some(({ data }) => {
      const { type, runId } = JSON.parse(data) as { type?: string; runId?: string };
      return type === 'done' && runId === run;
    });
  expect(await streams[0].until(isDone(runs.kept))).toBe(true);
  expect(await streams[1].until(isDone(runs.cut))).toBe(true);
  const logs = { kept: await first.log(kept.id), cut: await first.log(cut.id) };
  expect(streams[0].ids).toEqual(logs.kept.slice(0, streams[0].ids.length).map(({ seq }) => seq));
  expect(streams[1].ids).toEqual(
    logs.cut.filter(({ runId }) => runId === runs.cut).map(({ seq }) => seq),
  );
  const doneAt = logs.cut.find(({ type, runId }) => type === 'done' && runId === runs.cut)!.seq;
  await until(() => (socket.seqs.at(-1) ?? 0) >= doneAt, SOON);
  expect(socket.seqs).toEqual(socket.seqs.map((_, i) => i + 1));
  expect(socket.closed).toBe(null);
  // A hint to reload everything, or about the change.
  const hinted = await hints.until(({ messages }) =>
    messages.some(({ data }) => {
      const hint = JSON.parse(data) as { all?: true; sessionId?: string; lastSeq?: number };
      return hint.all === true || (hint.sessionId === cut.id && (hint.lastSeq ?? 0) >= doneAt);
    }),
  );
  expect(hinted).toBe(true);
}, 600_000);

test('[O5] [E7] while the database is down, the output of a flooding agent is not read, and its worker stays small', async () => {
  const cluster = await clusterIn('flooded');
  const api = await cluster.node('api', { host: 'flooded' });
  const worker = await cluster.node('worker', { host: 'flooded', leaseSeconds: 300 });
  const { id } = await sessionOn('flooded', api);
  const directory = temporaryDirectory();
  const [gate, progress] = [join(directory, 'gate'), join(directory, 'progress')];
  const all = 256;
  const run = await api.send(
    id,
    `echo started; until [ -e ${gate} ]; do sleep 0.1; done
i=0; while [ $i -lt ${all} ]; do i=$((i+1)); head -c 1000000 /dev/zero | tr '\\0' 'x'; echo; echo $i > ${progress}; done
until [ -e ${directory}/never ]; do sleep 1; done`,
  );
  // A worker reads its agent's output only after the database has answered it.
  await until(async () => JSON.stringify(await api.log(id)).includes('started\\n'), SOON);
  const { pid } = worker.program;
  const memory = (): number =>
    Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1024;
  const before = memory();

  await postgres.stop('immediate');
  writeFileSync(gate, '');
  const written = (): number => (existsSync(progress) ? Number(readFileSync(progress, 'utf8')) : 0);
  // It has written something, then nothing more for a while.
  let [last, since] = [0, performance.now()];
  await until(
    () => {
      const now = written();
      if (now !== last) [last, since] = [now, performance.now()];
      return last > 0 && performance.now() - since > 5000;
    },
    { ms: PATIENCE_MS, every: 100 },
  );
  expect(last).toBeLessThan(all / 4);
  expect(memory() - before).toBeLessThan(200);

  await postgres.start();
  // Reading resumes as soon as events can be stored.
  await until(() => written() > last, { ms: PATIENCE_MS, every: 100 });
  await until(async () => (await api.fetch('POST', `/api/v1/runs/${run}/cancel`)).ok, SOON);
  expect((await api.finished(run, PATIENCE_MS)).state).toBe('cancelled');
  const log = await api.log(id);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
}, 600_000);
