import { expect, test } from 'vitest';
import type { HostView, NodeView } from '../../src/contract/node.ts';
import type { Session } from '../../src/contract/session.ts';
import { Desk } from '../cli/cli-rig.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { TOKEN } from '../support/server-rig.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

test('[Q23] [W1] a session with a directory names its host, by id or by name', async () => {
  const cluster = await Cluster.create();
  const api = await cluster.node('api', { host: 'front' });
  // Both have the same name, like two machines that were cloned.
  const worker = (host: string) => cluster.node('worker', { host, name: 'build' });
  const first = await worker('id-1');
  const second = await worker('id-2');
  const hosts = () => api.call<{ items: HostView[] }>('GET', '/api/v1/hosts');
  const both = [
    { id: 'id-1', name: 'build', alive: true },
    { id: 'id-2', name: 'build-2', alive: true },
  ];
  expect(await hosts()).toEqual({ items: both });

  const path = temporaryDirectory();
  const refused = async (workspace: object, message: string): Promise<void> => {
    const answer = await api.fetch('POST', '/api/v1/sessions', { name: 'no', workspace });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)]);
  };
  await refused({ path }, 'several hosts (build, build-2)');
  await refused({ path, host: 'gone' }, 'Known hosts: build, build-2.');
  await refused({ host: 'gone' }, 'There is no host');

  const pathOf = async (id: string) =>
    (await api.finished(await api.send(id, 'pwd'), PATIENCE_MS)).result;
  for (const [host, id] of [
    ['build', 'id-1'],
    ['id-2', 'id-2'],
  ]) {
    const made = await api.session(`on ${host}`, { workspace: { path, host } });
    expect(made).toMatchObject({ host: id, hostAway: false });
    expect(await pathOf(made.id)).toMatchObject({ output: `${path}\n` });
    const fork = `/api/v1/sessions/${made.id}/fork`;
    const forked = await api.call<Session>('POST', fork, { name: `fork of ${host}` });
    expect(forked).toMatchObject({ host: id, workspace: { path } });
  }

  // A known host may be away: the session waits for it.
  expect(await second.stop()).toBe(0);
  expect((await hosts()).items).toMatchObject([both[0], { ...both[1], alive: false }]);
  const later = await api.session('later', { workspace: { path, host: 'build-2' } });
  expect(later).toMatchObject({ host: 'id-2', hostName: 'build-2', hostAway: true });
  const desk = new Desk();
  const baton = async (...args: string[]) => {
    const { code, stdout, stderr } = await desk.done(args, {
      BATON_URL: api.url,
      BATON_TOKEN: TOKEN,
    });
    return [code, stdout + stderr] as const;
  };
  const moving = await baton('session', 'move', later.id, '--to', 'build-3');
  expect(moving).toEqual([2, expect.stringContaining('Known hosts: build, build-2 (away).')]);
  // With only one host alive, there is nothing to choose.
  expect(await api.session('alone', { workspace: { path } })).toMatchObject({ hostAway: false });

  // Its name is stable over restarts.
  const back = await worker('id-2');
  expect(await pathOf(later.id)).toMatchObject({ output: `${path}\n` });
  const nodes = await api.call<{ items: NodeView[] }>('GET', '/api/v1/nodes');
  expect(nodes.items.map(({ hostName }) => hostName).sort()).toEqual(['build', 'build-2', 'front']);
  const [code, table] = await baton('nodes');
  expect([code, table]).toEqual([0, expect.stringMatching(/\tid-2\t.*\tbuild-2$/m)]);
  const moved = await baton('session', 'move', later.id, '--to', 'build');
  expect(moved).toEqual([0, expect.stringContaining('is now on build.')]);
  const events = await api.log(later.id);
  expect(events.find(({ type }) => type === 'session.moved')).toMatchObject({
    payload: { from: 'id-2', to: 'id-1', fromName: 'build-2', toName: 'build' },
  });
  for (const server of [first, back]) expect(await server.stop()).toBe(0);
}, 120_000);
