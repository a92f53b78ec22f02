import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { ADMIN, type ServiceRig, serviceRig } from '../../test/support/service-rig.ts';
import { until } from '../../test/support/until.ts';

/** A worker of another host, which exists only as a row. */
const addHost = (rig: ServiceRig, host: string, roles: ('api' | 'worker')[] = ['worker']) =>
  rig.store.join(
    {
      ...{ id: `node of ${host}`, host, roles, types: ['agent'], capacity: 1, version: '' },
      ...{ bootId: 'b', pidNamespace: '', pid: 1, pidStart: '' },
    },
    60_000,
  );

test('[Q23] [W1] an existing directory needs a host once there are several', async () => {
  const rig = await serviceRig();
  const path = temporaryDirectory();
  const make = (name: string, workspace: object) => rig.session(name, { workspace });
  expect(await make('only host', { path })).toMatchObject({ host: null });
  await addHost(rig, 'front', ['api']);
  await make('beside an api node', { path });
  await addHost(rig, 'second');
  await expect(make('which one', { path })).rejects.toMatchObject({
    code: 'invalid_request',
    message: `Workers run on several hosts (second, test). Set workspace.host to the one that has ${path}.`,
    details: { field: 'workspace.host', hosts: ['second', 'test'] },
  });
  await expect(make('unknown', { host: 'front' })).rejects.toMatchObject({
    message: 'There is no host "front". Known hosts: second, test.',
  });
  // A known host may be away, and has a name.
  await rig.store.registerHost({ id: 'third', name: 'laptop', worker: true, dataId: null });
  expect(await make('later', { path, host: 'laptop' })).toMatchObject({
    host: 'third',
    hostName: 'laptop',
    hostAway: true,
  });
  await expect(make('nowhere', { host: 'front' })).rejects.toMatchObject({
    message: 'There is no host "front". Known hosts: laptop (away), second, test.',
  });
  const here = await make('this one', { path, host: 'test' });
  expect(here).toMatchObject({ host: 'test', workspace: { provider: 'directory', path } });
  expect(here.workspace).not.toHaveProperty('host');
  const run = await rig.finished(await rig.send(here.id, 'pwd'));
  expect(run.result).toMatchObject({ output: `${path}\n` });
  expect(await make('fresh anywhere', {})).toMatchObject({ host: null });
  // A fork works in the same directory, and so on the same host.
  expect(await rig.services.sessions.fork(ADMIN, here.id, { name: 'a fork' })).toMatchObject({
    host: 'test',
  });
});

test('[X7] [Q23] a shared data directory is reached through any live host, or is away', async () => {
  const rig = await serviceRig();
  // Otherwise, the session would be pinned to this host as soon as its workspace is ready.
  await rig.reconciler.stop();
  const { id } = await rig.session('anywhere');
  const hostOf = (here: string) => rig.services.hosts.hostOf(ADMIN, id, here);
  expect(await hostOf('front')).toBeNull();
  await rig.worker.stop();
  const host = { name: 'shared', worker: true, dataId: 'd' };
  await rig.store.registerHost({ ...host, id: 'third' });
  expect(await rig.store.admitHost('third')).toBeNull();
  await addHost(rig, 'third');
  expect(await hostOf('front')).toMatchObject({ id: 'third' });
  expect(await hostOf('third')).toMatchObject({ id: 'third' });
  await rig.store.leave('node of third');
  await expect(hostOf('front')).rejects.toMatchObject({ code: 'host_away' });
  // It has the directory without a worker, too; a host that only serves the API may not have it.
  expect(await hostOf('third')).toMatchObject({ id: 'third' });
});

test('[Q23] [P6] a session moves to a host that has its workspace, or nothing changes', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('to be moved');
  await rig.finished(await rig.send(id, 'true'));
  const move = (host: string) => rig.services.hosts.move(ADMIN, id, { host });
  const get = () => rig.services.sessions.get(ADMIN, id);
  const before = await get();
  await expect(move('nowhere')).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'There is no host "nowhere". Known hosts: test.',
  });
  await rig.store.registerHost({ id: 'third', name: 'laptop', worker: true, dataId: null });
  await expect(move('laptop')).rejects.toMatchObject({
    code: 'host_away',
    message: 'No worker is running on the host "laptop". Try again later.',
  });
  // Its host never comes back.
  await rig.queue.configure(id, { host: 'gone' });
  const waiting = await rig.send(id, 'cat kept');
  const path = join(rig.dataDir, 'workspaces', id);
  rmSync(path, { recursive: true });
  await expect(move('test')).rejects.toMatchObject({
    code: 'workspace_unreachable',
    message: expect.stringContaining(
      `workspaces/${id} in the data directory does not exist on that host.`,
    ),
  });
  expect(await get()).toMatchObject({ host: 'gone', hostAway: true, lastSeq: before.lastSeq + 1 });
  mkdirSync(path);
  writeFileSync(join(path, 'kept'), 'still here');
  expect(await move('test')).toMatchObject({ host: 'test', hostAway: false });
  expect((await rig.finished(waiting)).result).toMatchObject({ output: 'still here' });

  // Moving to the same host changes nothing.
  const { lastSeq } = await get();
  await move('test');
  expect((await get()).lastSeq).toBe(lastSeq);
  const lines = await rig.store.listAudit({ limit: 10, target: id });
  expect(lines.filter(({ action }) => action === 'session.move')).toMatchObject([
    { before: { host: 'gone', hostName: 'gone' }, after: { host: 'test', hostName: 'test' } },
  ]);
});

test('[Q23] a session is not moved while its run executes', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('at work');
  await rig.finished(await rig.send(id, 'true'));
  const run = await rig.send(id, 'until [ -e gate ]; do sleep 0.05; done');
  await until(async () => (await rig.queue.get(run))?.state === 'running');
  await rig.queue.configure(id, { host: 'gone' });
  await expect(rig.services.hosts.move(ADMIN, id, { host: 'test' })).rejects.toMatchObject({
    code: 'session_busy',
    message: expect.stringContaining('Wait for it to finish, or cancel it'),
  });
  writeFileSync(join(rig.dataDir, 'workspaces', id, 'gate'), '');
  await rig.finished(run);
  expect(await rig.services.hosts.move(ADMIN, id, { host: 'test' })).toMatchObject({
    host: 'test',
  });
});

test('[Q9] [Q23] while everything is stopped no session is moved, and no worker is asked', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('stays');
  await rig.queue.configure(id, { host: 'gone' });
  const move = () => rig.services.hosts.move(ADMIN, id, { host: 'test' });
  await rig.services.stop.put(ADMIN, { stopped: true });
  await until(() => rig.worker.stats.stopped);
  await expect(move()).rejects.toMatchObject({ code: 'everything_stopped', status: 409 });
  expect(await rig.services.sessions.get(ADMIN, id)).toMatchObject({ host: 'gone' });
  expect(await rig.store.list({ limit: 10 })).toEqual([]);
  await rig.services.stop.put(ADMIN, { stopped: false });
  await until(() => !rig.worker.stats.stopped);
  await expect(move()).rejects.not.toMatchObject({ code: 'everything_stopped' });
});
