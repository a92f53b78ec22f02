import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { freePort, Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

const SOON = { ms: PATIENCE_MS, every: 50 };

test('[Q23] [W1] [X7] with a shared data directory, new directories are on all hosts', async () => {
  const cluster = await Cluster.create();
  const dataDir = temporaryDirectory();
  const api = await cluster.node('api', { host: 'front' });
  const shared = async (host: string, at = dataDir) =>
    cluster.node('worker', { host, dataDir: at, sharedData: true, port: await freePort() });
  const one = await shared('one');
  const output = async (id: string, command: string) =>
    (await api.finished(await api.send(id, command), PATIENCE_MS)).result;

  const { id } = await api.session('anywhere');
  expect(await output(id, 'echo kept > kept; pwd')).toMatchObject({
    output: expect.stringContaining(dataDir),
  });
  expect(await one.stop()).toBe(0);
  const two = await shared('two');
  expect(await output(id, 'cat kept')).toMatchObject({ output: 'kept\n' });
  expect(await api.call<Session>('GET', `/api/v1/sessions/${id}`)).toMatchObject({
    host: null,
    hostAway: false,
  });
  const artefacts = join(dataDir, 'artefacts', id);
  mkdirSync(artefacts, { recursive: true });
  writeFileSync(join(artefacts, 'run-call.txt'), 'the whole result');
  const artefact = await api.fetch('GET', `/api/v1/sessions/${id}/artefacts/run-call.txt`);
  expect([artefact.status, await artefact.text()]).toEqual([200, 'the whole result']);
  // A given directory may exist on one host only.
  const pinned = await api.session('here', { workspace: { path: temporaryDirectory() } });
  expect(await output(pinned.id, 'true')).toMatchObject({ exitCode: 0 });
  expect(await api.call('GET', `/api/v1/sessions/${pinned.id}`)).toMatchObject({ host: 'two' });

  await expect(shared('three', temporaryDirectory())).rejects.toThrow(
    'is not the data directory that the other hosts share',
  );
  await expect(cluster.node('worker', { host: 'three' })).rejects.toThrow(
    'share a data directory, and this one does not',
  );
  // Deleted by a node without the directory, and removed by one that has it.
  const workspace = join(dataDir, 'workspaces', id);
  expect(existsSync(workspace)).toBe(true);
  await api.call('DELETE', `/api/v1/sessions/${id}`);
  await until(() => !existsSync(workspace), SOON);
  expect(await two.stop()).toBe(0);
}, 120_000);

test('[Q23] a shared data directory needs an id for each host, and PostgreSQL', async () => {
  const refused = (env: Record<string, string>) =>
    Server.start({ env: { BATON_SHARED_DATA: '1', ...env } });
  await expect(refused({ BATON_HOST_ID: 'one' })).rejects.toThrow('needs PostgreSQL');
  const { database } = await Cluster.create();
  await expect(refused({ BATON_DATABASE_URL: database })).rejects.toThrow('needs BATON_HOST_ID');
}, 60_000);
