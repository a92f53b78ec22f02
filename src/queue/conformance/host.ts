import { expect } from 'vitest';
import { READY } from '../hint.ts';
import { failed, LEASE_MS, type Rig, type Rule } from './rig.ts';

/** Lanes that belong to a host. */
export function hostRules(rule: Rule): void {
  const twoHosts = async (rig: Rig) => {
    await rig.node('node-1', { host: 'host-1' });
    await rig.node('node-2', { host: 'host-2' });
  };

  rule('[Q23] a lane with a host is claimed only by nodes on that host', async (rig) => {
    await twoHosts(rig);
    await rig.change({ do: 'configure', lane: 'l', settings: { host: 'host-2' } });
    const { id } = await rig.enqueue({ lane: 'l' });
    const free = await rig.enqueue();
    expect(await rig.claimIds({ nodeId: 'node-1' })).toEqual([free.id]);
    expect(await rig.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q23] while its host is away a lane waits, and others continue', async (rig) => {
    await rig.node('node-1', { host: 'host-1' });
    await rig.change({ do: 'configure', lane: 'l', settings: { host: 'gone' } });
    const { id } = await rig.enqueue({ lane: 'l', owner: 'ann' });
    const other = await rig.enqueue({ owner: 'bob' });
    expect(await rig.claimIds()).toEqual([other.id]);
    expect((await rig.run(id)).state).toBe('queued');
    await rig.node('node-3', { host: 'gone' });
    expect(await rig.claimIds({ nodeId: 'node-3' })).toEqual([id]);
  });

  rule('[Q23] hosts of ready lanes without a live worker are listed', async (rig) => {
    await rig.node('api', { host: 'gone', roles: ['api'], types: [] });
    await rig.node('node-1', { host: 'host-1' });
    const pin = (lane: string, host: string) =>
      rig.change({ do: 'configure', lane, settings: { host } });
    for (const [lane, host] of [
      ['l', 'gone'],
      ['m', 'gone'],
      ['n', 'host-1'],
      ['idle', 'far'],
    ])
      await pin(lane as string, host as string);
    expect(await rig.store.strandedHosts()).toEqual([]);
    await rig.enqueue({ lane: 'l' });
    await rig.enqueue({ lane: 'm', type: 'mail' });
    await rig.enqueue({ lane: 'n' });
    await rig.enqueue();
    expect(await rig.store.strandedHosts()).toEqual(['gone']);
    await rig.node('node-2', { host: 'gone' });
    expect(await rig.store.strandedHosts()).toEqual([]);
    rig.advance(LEASE_MS);
    expect(await rig.store.strandedHosts()).toEqual(['gone', 'host-1']);
    await rig.change({ do: 'hold', lane: 'n' });
    expect(await rig.store.strandedHosts()).toEqual(['gone']);
  });

  rule('[Q23] a lane with `pin` gets the host of its first run', async (rig) => {
    await twoHosts(rig);
    await rig.change({ do: 'configure', lane: 'l', settings: { pin: true } });
    await rig.enqueueMany(3, { lane: 'l' });
    expect(await rig.lane('l')).toMatchObject({ host: null });
    await rig.finish(await rig.claimOne({ nodeId: 'node-2' }));
    expect(await rig.lane('l')).toMatchObject({ host: 'host-2', pin: true });
    expect(await rig.claim({ nodeId: 'node-1' })).toEqual([]);
    await rig.finish(await rig.claimOne({ nodeId: 'node-2' }), failed('timeout'));
    rig.advance(1000);
    expect(await rig.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await rig.claim({ nodeId: 'node-2' })).toHaveLength(1);
  });

  rule('[Q23] each run of a lane without a host may execute on any host', async (rig) => {
    await twoHosts(rig);
    await rig.enqueueMany(2, { lane: 'l' });
    await rig.finish(await rig.claimOne({ nodeId: 'node-1' }));
    expect(await rig.lane('l')).toMatchObject({ host: null });
    expect(await rig.claim({ nodeId: 'node-2' })).toHaveLength(1);
  });

  rule('[Q23] a waiting lane whose host is cleared can be claimed by any node', async (rig) => {
    await twoHosts(rig);
    await rig.change({ do: 'configure', lane: 'l', settings: { host: 'gone', pin: true } });
    const { id } = await rig.enqueue({ lane: 'l' });
    expect(await rig.claim({ nodeId: 'node-1' })).toEqual([]);
    const hint = rig.hintOf(READY);
    await rig.change({ do: 'configure', lane: 'l', settings: { host: null, pin: false } });
    await hint;
    expect(await rig.claimIds({ nodeId: 'node-1' })).toEqual([id]);
  });

  rule(
    '[Q23] pinned and unpinned lanes of an owner are served longest-waiting first',
    async (rig) => {
      await twoHosts(rig);
      await rig.change({
        do: 'configure',
        lane: 'mine',
        settings: { host: 'host-1', owner: 'ann' },
      });
      const ids: string[] = [];
      for (const lane of ['any-1', 'mine', 'any-2']) {
        ids.push((await rig.enqueue({ lane, owner: 'ann' })).id);
        rig.advance(1);
      }
      const started: string[] = [];
      for (let i = 0; i < 3; i++) started.push((await rig.claimOne({ nodeId: 'node-1' })).run.id);
      expect(started).toEqual(ids);
    },
  );

  rule('[Q12] settings that are not given stay unchanged', async (rig) => {
    const configure = (settings: object) => rig.change({ do: 'configure', lane: 'l', settings });
    await configure({ owner: 'ann', host: 'h', holdOnFailure: true, kept: true });
    await configure({ pin: true });
    expect(await rig.lane('l')).toMatchObject({
      owner: 'ann',
      host: 'h',
      pin: true,
      holdOnFailure: true,
      kept: true,
      state: 'idle',
    });
    // A run gets the owner of the lane it joins.
    const { id } = await rig.enqueue({ lane: 'l', owner: 'bob' });
    expect((await rig.run(id)).owner).toBe('ann');
  });
}
