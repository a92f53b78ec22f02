import { expect } from 'vitest';
import { LEASE_MS } from '../../queue/conformance/rig.ts';
import type { NewHost } from '../host-store.ts';
import type { SessionRule, SessionStoreRig } from './rig.ts';

const DAY = 24 * 3_600_000;

const register = (rig: SessionStoreRig, id: string, name: string, rest: Partial<NewHost> = {}) =>
  rig.store.registerHost({ id, name, worker: true, dataId: null, ...rest });

/** A host with a live worker that has been asked for its directory, as a node does at its start. */
async function start(rig: SessionStoreRig, id: string, dataId: string | null) {
  await register(rig, id, id, { dataId });
  await rig.queue.node(`node of ${id}`, { host: id });
  const refusal = await rig.store.admitHost(id);
  if (refusal !== null) await rig.store.leave(`node of ${id}`);
  return refusal;
}

export function hostRules(rule: SessionRule): void {
  rule('[Q23] a host gets the name it asks for, with a number if another has it', async (rig) => {
    expect(await register(rig, 'a', 'build')).toBe('build');
    expect(await register(rig, 'b', 'build')).toBe('build-2');
    expect(await register(rig, 'c', 'build')).toBe('build-3');
    // Stable, even if the first one changes its name.
    expect(await register(rig, 'a', 'web')).toBe('web');
    expect(await register(rig, 'b', 'build')).toBe('build-2');
    expect(await register(rig, 'd', 'build')).toBe('build');
    // Until it asks for another one.
    expect(await register(rig, 'b', 'build-3')).toBe('build-3-2');
    expect(await register(rig, 'b', 'build-4')).toBe('build-4');
  });

  rule('[Q23] no name is the id of another host', async (rig) => {
    await register(rig, 'a', 'build');
    await rig.queue.node('old', { host: 'b' });
    expect(await register(rig, 'c', 'a')).toBe('a-2');
    expect(await register(rig, 'd', 'b')).toBe('b-2');
    expect(await register(rig, 'e', 'e')).toBe('e');
  });

  rule('[Q23] hosts that register at once get different names', async (rig) => {
    const ids = ['a', 'b', 'c', 'd'];
    const names = await Promise.all(ids.map((id) => register(rig, id, 'build')));
    expect(names.sort()).toEqual(['build', 'build-2', 'build-3', 'build-4']);
  });

  rule('[Q23] hosts are listed if they run agents, or did within 90 days', async (rig) => {
    await register(rig, 'a', 'build');
    await register(rig, 'front', 'front', { worker: false });
    // A node of a version without names, and one that only serves the API.
    await rig.queue.node('old', { host: 'b' });
    await rig.queue.node('api', { host: 'front', roles: ['api'] });
    expect(await rig.store.listHosts()).toEqual([
      { id: 'b', name: 'b', alive: true },
      { id: 'a', name: 'build', alive: false },
    ]);
    await rig.queue.node('node-a', { host: 'a' });
    await register(rig, 'a', 'build', { worker: false });
    expect(await rig.store.listHosts()).toContainEqual({ id: 'a', name: 'build', alive: true });
    rig.advance(LEASE_MS);
    expect(await rig.store.listHosts()).toEqual([{ id: 'a', name: 'build', alive: false }]);
    rig.advance(91 * DAY);
    await register(rig, 'c', 'later');
    expect(await rig.store.listHosts()).toContainEqual({ id: 'a', name: 'build', alive: false });
    for (const id of ['node-a', 'api']) await rig.store.leave(id);
    expect(await register(rig, 'd', 'build')).toBe('build');
    expect(await rig.store.listHosts()).toMatchObject([{ id: 'd' }, { id: 'c' }]);
  });

  rule('[Q23] sessions, nodes and moves show names; hosts without one their ids', async (rig) => {
    await register(rig, 'a', 'build');
    await rig.queue.node('node-a', { host: 'b' });
    const id = await rig.session('ACTIVE', { pin: true, host: 'a' });
    expect(await rig.current(id)).toMatchObject({ host: 'a', hostName: 'build', hostAway: true });
    await rig.send(id);
    expect(await rig.store.strandedHosts()).toEqual(['build']);
    await rig.do(id, { do: 'move', host: 'b', path: '/w' });
    expect(await rig.current(id)).toMatchObject({ host: 'b', hostName: 'b', hostAway: false });
    const moved = (await rig.store.listAfter(id, 0, 100)).filter(
      ({ type }) => type === 'session.moved',
    );
    expect(moved).toMatchObject([
      { payload: { from: 'a', fromName: 'build', to: 'b', toName: 'b' } },
    ]);
    expect(await rig.current(await rig.session('ACTIVE'))).toMatchObject({ hostName: null });
  });

  rule('[Q23] all hosts share one data directory, or none does', async (rig) => {
    expect(await start(rig, 'a', null)).toBeNull();
    expect(await start(rig, 'b', 'data')).toEqual({ why: 'others', hosts: ['a'] });
    await rig.store.leave('node of a');
    expect(await start(rig, 'b', 'data')).toBeNull();
    expect(await rig.store.isDataShared()).toBe(true);
    expect(await start(rig, 'c', 'data')).toBeNull();
    expect(await start(rig, 'd', 'other')).toEqual({ why: 'not_shared' });
    expect(await start(rig, 'd', null)).toEqual({ why: 'others', hosts: ['b', 'c'] });
    // A session that any host may run keeps it, even while no host is alive.
    const id = await rig.session('ACTIVE', { pin: false });
    for (const host of ['b', 'c']) await rig.store.leave(`node of ${host}`);
    expect(await start(rig, 'd', null)).toEqual({ why: 'not_shared' });
    await rig.do(id, { do: 'move', host: 'd', path: '/w' });
    expect(await start(rig, 'd', null)).toBeNull();
    expect(await rig.store.isDataShared()).toBe(false);
  });

  rule('[Q23] of two hosts that start at once and differ, one is refused', async (rig) => {
    const refusals = await Promise.all([start(rig, 'a', null), start(rig, 'b', 'data')]);
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(1);
  });
}
