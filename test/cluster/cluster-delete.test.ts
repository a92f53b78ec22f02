import { existsSync } from 'node:fs';
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
