import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { temporaryDirectory } from '../support/processes.ts';
import type { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS, sessionOn } from './cluster-rig.ts';

const read = (api: Server, id: string) => api.call<Session>('GET', `/api/v1/sessions/${id}`);
const SOON = { ms: PATIENCE_MS, every: 50 };

test('[Q23] a session stays on the host of its first run: while that host is down its runs wait, and no other host takes them', async () => {
  const cluster = await Cluster.create();
  const dataDirs = { one: temporaryDirectory(), two: temporaryDirectory() };
  const worker = (host: 'one' | 'two') =>
    cluster.node('worker', { host, dataDir: dataDirs[host], leaseSeconds: 8 });
  const api = await cluster.node('api', { host: 'three', leaseSeconds: 8 });
  const [one] = [await worker('one'), await worker('two')];

  const [home, away] = [await sessionOn('one', api), await sessionOn('two', api)];
  const pathOf = async (id: string) => (await read(api, id)).workspace.path ?? '';
  const path = await pathOf(home.id);
  expect(path.startsWith(dataDirs.one), path).toBe(true);
  expect((await pathOf(away.id)).startsWith(dataDirs.two)).toBe(true);
  expect(await read(api, home.id)).toMatchObject({ host: 'one', hostAway: false });

  // One run is under way and one is queued when the host goes down.
  const gate = join(path, 'gate');
  const cut = await api.send(home.id, 'echo begun >> begun; until [ -e gate ]; do sleep 0.1; done');
  const waiting = await api.send(home.id, 'pwd');
  await until(() => existsSync(join(path, 'begun')), SOON);
  await one.kill();
  await until(async () => (await read(api, home.id)).hostAway, SOON);
  await api.inState(cut, 'queued', PATIENCE_MS);
  const late = await api.send(home.id, 'echo late');

  // The other host has free slots all the time, and executes runs of its own sessions.
  for (let i = 0; i < 10; i++) {
    expect((await api.finished(await api.send(away.id, 'pwd'), PATIENCE_MS)).state).toBe(
      'succeeded',
    );
  }
  for (const id of [cut, waiting, late]) expect((await api.run(id)).state).toBe('queued');
  expect(readFileSync(join(path, 'begun'), 'utf8')).toBe('begun\n');
  expect(await read(api, away.id)).toMatchObject({ host: 'two', hostAway: false });
  expect(await read(api, home.id)).toMatchObject({ host: 'one', hostAway: true });

  const back = await worker('one');
  writeFileSync(gate, '');
  for (const id of [cut, waiting, late]) {
    expect((await api.finished(id, PATIENCE_MS)).state).toBe('succeeded');
  }
  expect(await api.run(cut)).toMatchObject({ attempts: 1, crashes: 1 });
  expect((await api.run(waiting)).result).toMatchObject({ output: `${path}\n` });
  expect(readFileSync(join(path, 'begun'), 'utf8')).toBe('begun\nbegun\n');
  expect(await read(api, home.id)).toMatchObject({ host: 'one', hostAway: false });
  expect(await back.stop()).toBe(0);
}, 600_000);
