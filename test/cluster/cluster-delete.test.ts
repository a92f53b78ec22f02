import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

const SOON = { ms: PATIENCE_MS, every: 50 };

test('[S12] [Q23] a session deleted on one host leaves no workspace on another, even if that one was down', async () => {
  const cluster = await Cluster.create();
  const dataDir = temporaryDirectory();
  const api = await cluster.node('api', { host: 'front' });
  const worker = await cluster.node('worker', { host: 'one', dataDir });
  const pathOf = ({ id }: { id: string }) => `${dataDir}/workspaces/${id}`;
  const ran = async (name: string) => {
    const session = await api.session(name);
    await api.finished(await api.send(session.id, 'true'), PATIENCE_MS);
    expect(existsSync(pathOf(session))).toBe(true);
    return session;
  };
  const [first, second, kept] = [await ran('first'), await ran('second'), await ran('kept')];

  await api.call('DELETE', `/api/v1/sessions/${first.id}`);
  await until(() => !existsSync(pathOf(first)), SOON);
  await worker.stop();
  await api.call('DELETE', `/api/v1/sessions/${second.id}`);
  expect(existsSync(pathOf(second))).toBe(true);
  await cluster.node('worker', { host: 'one', dataDir });
  await until(() => !existsSync(pathOf(second)), SOON);
  expect(existsSync(pathOf(kept))).toBe(true);
}, 300_000);

test('[S12] [Q23] a moved session that is deleted leaves nothing on any host it has been on', async () => {
  const cluster = await Cluster.create();
  const dataDirs = { one: temporaryDirectory(), two: temporaryDirectory() };
  const named = temporaryDirectory();
  writeFileSync(join(named, '.env'), 'KEEP=1');
  const nodes = await Promise.all([
    cluster.node('up', { host: 'one', dataDir: dataDirs.one }),
    cluster.node('worker', { host: 'two', dataDir: dataDirs.two }),
  ]);
  const [api] = nodes;
  const left = (id: string) =>
    Object.values(dataDirs).flatMap((dataDir) =>
      ['workspaces', 'snapshots', 'artefacts'].filter((each) =>
        existsSync(join(dataDir, each, id)),
      ),
    );
  const ran = async (id: string) =>
    // A command that only reads takes no snapshot.
    expect((await api.finished(await api.send(id, 'cp .env copy'), PATIENCE_MS)).state).toBe(
      'succeeded',
    );
  const own = await api.session('own', { workspace: { host: 'two' } });
  await api.finished(await api.send(own.id, 'echo SECRET=1 > .env'), PATIENCE_MS);
  const given = await api.session('given', { workspace: { host: 'two', path: named } });
  for (const { id } of [own, given]) {
    await ran(id);
    mkdirSync(join(dataDirs.two, 'artefacts', id), { recursive: true });
  }
  cpSync(join(dataDirs.two, 'workspaces', own.id), join(dataDirs.one, 'workspaces', own.id), {
    recursive: true,
  });
  for (const { id } of [own, given]) {
    await api.call('POST', `/api/v1/sessions/${id}/move`, { host: 'one' });
    await ran(id);
  }
  const both = ['workspaces', 'snapshots', 'workspaces', 'snapshots', 'artefacts'];
  expect([left(own.id), left(given.id)]).toEqual([both, ['snapshots', 'snapshots', 'artefacts']]);
  for (const { id } of [own, given]) await api.call('DELETE', `/api/v1/sessions/${id}`);
  await until(() => left(own.id).length + left(given.id).length === 0, SOON);
  expect(existsSync(join(named, '.env'))).toBe(true);
}, 300_000);
