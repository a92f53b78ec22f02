import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { Desk } from '../cli/cli-rig.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { type Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

const SOON = { ms: PATIENCE_MS, every: 50 };
const LEASE = { leaseSeconds: 5 };

test('[Q23] sessions of a lost host are reported and can be moved if their workspace is reachable', async () => {
  const cluster = await Cluster.create();
  const dataDirs = { one: temporaryDirectory(), two: temporaryDirectory() };
  const worker = (host: 'one' | 'two') =>
    cluster.node('worker', { host, dataDir: dataDirs[host], ...LEASE });
  // A node that only serves the API stays alive on the lost host.
  const api = await cluster.node('api', { host: 'one', ...LEASE });
  const [one, two] = [await worker('one'), await worker('two')];
  const { id } = await api.session('of one', { workspace: { host: 'one' } });
  expect((await api.finished(await api.send(id, 'true'), PATIENCE_MS)).state).toBe('succeeded');
  const read = () => api.call<Session>('GET', `/api/v1/sessions/${id}`);
  const warned = (server: Server) =>
    server.program
      .stderr()
      .split('\n')
      .filter((line) => line.includes('without a live worker') && line.includes('"one"'));

  expect(await one.stop()).toBe(0);
  const waiting = await api.send(id, 'cat kept');
  await until(() => warned(two).length === 1, SOON);
  expect(warned(two)[0]).toContain('baton session move');
  expect(await read()).toMatchObject({ host: 'one', hostAway: true, unfinishedRuns: 1 });

  const desk = new Desk();
  const baton = (...args: string[]) => desk.done(args, { BATON_URL: api.url, BATON_TOKEN: TOKEN });
  const refused = async (host: string, ...words: string[]) => {
    const { code, stderr } = await baton('session', 'move', id, '--to', host);
    expect(code).toBe(2);
    for (const word of words) expect(stderr).toContain(word);
    expect(await read()).toMatchObject({ host: 'one', hostAway: true });
  };
  await refused('three', 'There is no host "three"', 'Known hosts: one (away), two');
  await refused('two', `workspaces/${id} in the data directory does not exist on that host`);
  const [from, to] = [dataDirs.one, dataDirs.two].map((dir) => join(dir, 'workspaces', id));
  cpSync(from as string, to as string, { recursive: true });
  writeFileSync(join(to as string, 'kept'), 'copied');
  const moved = await baton('session', 'move', id, '--to', 'two');
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('is now on two.')]);
  expect(await read()).toMatchObject({ host: 'two', hostAway: false, workspace: { path: to } });
  expect((await api.finished(waiting, PATIENCE_MS)).result).toMatchObject({ output: 'copied' });
  expect(warned(two)).toHaveLength(1);
  expect(await two.stop()).toBe(0);
}, 120_000);

test('[Q23] [W1] a given directory is checked only on the named host', async () => {
  const cluster = await Cluster.create();
  const api = await cluster.node('api', { host: 'front' });
  await Promise.all(['one', 'two'].map((host) => cluster.node('worker', { host })));
  const path = temporaryDirectory();
  const answer = await api.fetch('POST', '/api/v1/sessions', {
    name: 'which one',
    workspace: { path },
  });
  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { error: { message: string; details: unknown } };
  expect(error.message).toContain('several hosts (one, two)');
  expect(error.details).toMatchObject({ field: 'workspace.host' });
  const desk = new Desk();
  const run = (...args: string[]) =>
    desk.done(['run', '--agent', 'shell', '--dir', path, ...args, 'pwd'], {
      BATON_URL: api.url,
      BATON_TOKEN: TOKEN,
    });
  const refused = await run();
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('(one, two)')]);
  const done = await run('--on', 'two');
  expect([done.code, done.stdout]).toEqual([0, `${path}\n`]);
  const [session] = await api.call<Session[]>('GET', '/api/v1/sessions');
  expect(session).toMatchObject({ host: 'two', workspace: { path } });
}, 120_000);
