import { expect } from 'vitest';
import { refused } from '../../queue/conformance/rig.ts';
import { invocation, type SessionRule } from './rig.ts';

export function removeRules(rule: SessionRule): void {
  rule(
    '[S12] deleting removes the session with its runs, log, lane and all else',
    async (bench) => {
      await bench.queue.node();
      const id = await bench.session('ACTIVE', { name: 'mine', tags: ['web'], labels: ['x'] });
      const other = await bench.session('ACTIVE', { tags: ['web'] });
      const { receipt: kept } = await bench.send(other);
      await bench.queue.finish(await bench.queue.claimOne());
      const { receipt: done } = await bench.send(
        id,
        { idempotencyKey: 'k' },
        { original: 'sealed' },
      );
      await bench.queue.finish(await bench.queue.claimOne());
      await bench.store.putInvocation(invocation(id, done.id, { costUsd: 1 }));
      const { receipt: queued } = await bench.send(id);
      await bench.send(id, { runAt: bench.now + 1000 });
      await bench.connect(id);
      await bench.store.deleteSession(id);
      expect(await bench.store.getSession(id)).toBeNull();
      expect(await bench.store.getLane(id)).toBeNull();
      expect(await bench.store.listAfter(id, 0, 100)).toEqual([]);
      for (const run of [done.id, queued.id]) expect(await bench.store.get(run)).toBeNull();
      expect(await bench.store.readOriginal(done.id)).toBeNull();
      expect(await bench.store.listInvocations(done.id)).toEqual([]);
      expect(await bench.store.sumInvocations(id)).toMatchObject({ invocations: 0 });
      expect(await bench.queue.counts()).toEqual({ succeeded: 1 });
      expect(await bench.queue.run(kept.id)).toMatchObject({ state: 'succeeded' });
      const page = await bench.store.listSessions({ archived: false, tag: 'web', limit: 10 });
      expect(page.map(({ session }) => session.id)).toEqual([other]);
      expect((await bench.settle()).changes).toEqual([]);
      await bench.session('ACTIVE', { name: 'mine' });
      await expect(bench.store.deleteSession(id)).rejects.toEqual(refused('not_found'));
    },
  );

  rule('[S12] [Q23] the workspace of a pinned one is left to its host', async (bench) => {
    const { store } = bench;
    const ready = { do: 'ready', path: '/w', host: 'host-1' } as const;
    const [pinned, free] = [
      await bench.session('PENDING', { pin: true }),
      await bench.session('PENDING', { pin: false }),
    ];
    for (const id of [pinned, free]) {
      await bench.do(id, ready);
      await store.deleteSession(id);
    }
    await store.deleteSession(await bench.session('PENDING', { pin: true }));
    expect(await store.listLeftWorkspaces('host-2', 10)).toEqual([]);
    expect(await store.listLeftWorkspaces('host-1', 10)).toEqual([pinned]);
    await store.forgetLeftWorkspace(pinned);
    await store.forgetLeftWorkspace(pinned);
    expect(await store.listLeftWorkspaces('host-1', 10)).toEqual([]);
  });

  rule('[S12] while a run executes it is asked to stop, and the session stays', async (bench) => {
    const id = await bench.session('ACTIVE');
    const running = await bench.begin(id);
    const { receipt: queued } = await bench.send(id);
    const told = bench.queue.hint(({ nodes }) => nodes.includes('node-1'));
    await expect(bench.store.deleteSession(id)).rejects.toEqual(refused('session_busy'));
    await told;
    expect(await bench.queue.run(queued.id)).toMatchObject({ state: 'cancelled' });
    expect(await bench.queue.lane(id)).toMatchObject({ cancel: 'stop' });
    await expect(bench.store.deleteSession(id)).rejects.toEqual(refused('session_busy'));
    await bench.queue.end(running, { kind: 'cancelled' });
    await bench.store.deleteSession(id);
    expect(await bench.queue.counts()).toEqual({});
  });

  rule('[S12] a protected label keeps a session, and its runs go on', async (bench) => {
    for (const label of ['important', 'audit']) {
      const id = await bench.session('ACTIVE', { labels: ['x', label] });
      const { receipt } = await bench.send(id);
      const removal = bench.store.deleteSession(id);
      await expect(removal).rejects.toMatchObject({
        code: 'session_protected',
        details: { label },
      });
      expect(await bench.queue.run(receipt.id)).toMatchObject({ state: 'queued' });
      await bench.do(id, { do: 'update', changes: { labels: ['x'] } });
      await bench.store.deleteSession(id);
      expect(await bench.store.getSession(id)).toBeNull();
    }
  });

  rule(
    '[Q6] what an old worker of a deleted session still writes changes nothing',
    async (bench) => {
      const id = await bench.session('ACTIVE');
      const running = await bench.begin(id);
      await bench.queue.end(running);
      await bench.store.deleteSession(id);
      expect(await bench.queue.write(running, { events: [{ type: 'x', payload: 1 }] })).toBe(false);
      expect(await bench.store.getLane(id)).toBeNull();
    },
  );
}
