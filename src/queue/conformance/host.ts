import { expect } from 'vitest';
import { type Bench, failed, LEASE_MS, type Rule } from './rig.ts';

/** Lanes that belong to a host. */
export function hostRules(rule: Rule): void {
  const twoHosts = async (b: Bench) => {
    await b.node('node-1', { host: 'host-1' });
    await b.node('node-2', { host: 'host-2' });
  };

  rule('[Q23] a lane with a host is claimed only by nodes of that host', async (b) => {
    await twoHosts(b);
    await b.change({ do: 'configure', lane: 'l', settings: { host: 'host-2' } });
    const { id } = await b.enqueue({ lane: 'l' });
    const free = await b.enqueue();
    expect(await b.claimIds({ nodeId: 'node-1' })).toEqual([free.id]);
    expect(await b.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q23] while its host is away a lane waits, and others go on', async (b) => {
    await b.node('node-1', { host: 'host-1' });
    await b.change({ do: 'configure', lane: 'l', settings: { host: 'gone' } });
    const { id } = await b.enqueue({ lane: 'l', owner: 'ann' });
    const other = await b.enqueue({ owner: 'bob' });
    expect(await b.claimIds()).toEqual([other.id]);
    expect((await b.run(id)).state).toBe('queued');
    await b.node('node-3', { host: 'gone' });
    expect(await b.claimIds({ nodeId: 'node-3' })).toEqual([id]);
  });

  rule('[Q23] hosts that ready lanes wait for are named if they have no live worker', async (b) => {
    await b.node('api', { host: 'gone', roles: ['api'], types: [] });
    await b.node('node-1', { host: 'host-1' });
    const pin = (lane: string, host: string) =>
      b.change({ do: 'configure', lane, settings: { host } });
    for (const [lane, host] of [
      ['l', 'gone'],
      ['m', 'gone'],
      ['n', 'host-1'],
      ['idle', 'far'],
    ])
      await pin(lane as string, host as string);
    expect(await b.store.strandedHosts()).toEqual([]);
    await b.enqueue({ lane: 'l' });
    await b.enqueue({ lane: 'm', type: 'mail' });
    await b.enqueue({ lane: 'n' });
    await b.enqueue();
    expect(await b.store.strandedHosts()).toEqual(['gone']);
    await b.node('node-2', { host: 'gone' });
    expect(await b.store.strandedHosts()).toEqual([]);
    b.advance(LEASE_MS);
    expect(await b.store.strandedHosts()).toEqual(['gone', 'host-1']);
    await b.change({ do: 'hold', lane: 'n' });
    expect(await b.store.strandedHosts()).toEqual(['gone']);
  });

  rule('[Q23] a lane that is to be pinned takes the host of its first run', async (b) => {
    await twoHosts(b);
    await b.change({ do: 'configure', lane: 'l', settings: { pin: true } });
    await b.enqueueMany(3, { lane: 'l' });
    expect(await b.lane('l')).toMatchObject({ host: null });
    await b.finish(await b.claimOne({ nodeId: 'node-2' }));
    expect(await b.lane('l')).toMatchObject({ host: 'host-2', pin: true });
    expect(await b.claim({ nodeId: 'node-1' })).toEqual([]);
    await b.finish(await b.claimOne({ nodeId: 'node-2' }), failed('timeout'));
    b.advance(1000);
    expect(await b.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await b.claim({ nodeId: 'node-2' })).toHaveLength(1);
  });

  rule('[Q23] a lane without a host goes anywhere, run by run', async (b) => {
    await twoHosts(b);
    await b.enqueueMany(2, { lane: 'l' });
    await b.finish(await b.claimOne({ nodeId: 'node-1' }));
    expect(await b.lane('l')).toMatchObject({ host: null });
    expect(await b.claim({ nodeId: 'node-2' })).toHaveLength(1);
  });

  rule('[Q23] a lane set free while it waits can be claimed by all', async (b) => {
    await twoHosts(b);
    await b.change({ do: 'configure', lane: 'l', settings: { host: 'gone', pin: true } });
    const { id } = await b.enqueue({ lane: 'l' });
    expect(await b.claim({ nodeId: 'node-1' })).toEqual([]);
    const hint = b.hint(({ ready }) => ready);
    await b.change({ do: 'configure', lane: 'l', settings: { host: null, pin: false } });
    await hint;
    expect(await b.claimIds({ nodeId: 'node-1' })).toEqual([id]);
  });

  rule(
    '[Q23] of one owner, lanes of this host and of any host go longest ready first',
    async (b) => {
      await twoHosts(b);
      await b.change({ do: 'configure', lane: 'mine', settings: { host: 'host-1', owner: 'ann' } });
      const ids: string[] = [];
      for (const lane of ['any-1', 'mine', 'any-2']) {
        ids.push((await b.enqueue({ lane, owner: 'ann' })).id);
        b.advance(1);
      }
      const started: string[] = [];
      for (let i = 0; i < 3; i++) started.push((await b.claimOne({ nodeId: 'node-1' })).run.id);
      expect(started).toEqual(ids);
    },
  );

  rule('[Q12] settings that are not given stay as they are', async (b) => {
    const configure = (settings: object) => b.change({ do: 'configure', lane: 'l', settings });
    await configure({ owner: 'ann', host: 'h', holdOnFailure: true, kept: true });
    await configure({ pin: true });
    expect(await b.lane('l')).toMatchObject({
      owner: 'ann',
      host: 'h',
      pin: true,
      holdOnFailure: true,
      kept: true,
      state: 'idle',
    });
    // A run takes the owner of the lane it joins.
    const { id } = await b.enqueue({ lane: 'l', owner: 'bob' });
    expect((await b.run(id)).owner).toBe('ann');
  });
}
