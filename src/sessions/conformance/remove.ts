import { expect } from 'vitest';
import { eventOf } from '../../contract/events/event-of.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { invocation, type SessionRule } from './rig.ts';

export function removeRules(rule: SessionRule): void {
  rule(
    '[S12] deleting removes the session with its runs, log, lane and everything else',
    async (rig) => {
      await rig.queue.node();
      const id = await rig.session('ACTIVE', { name: 'mine', tags: ['web'], labels: ['x'] });
      const other = await rig.session('ACTIVE', { tags: ['web'] });
      const { receipt: kept } = await rig.send(other);
      await rig.queue.finish(await rig.queue.claimOne());
      const { receipt: done } = await rig.send(id, { idempotencyKey: 'k' }, { original: 'sealed' });
      await rig.queue.finish(await rig.queue.claimOne());
      await rig.store.putInvocation(invocation(id, done.id, { costUsd: 1 }));
      const { receipt: queued } = await rig.send(id);
      await rig.send(id, { runAt: rig.now + 1000 });
      await rig.connect(id);
      await rig.store.deleteSession(id);
      expect(await rig.store.getSession(id)).toBeNull();
      expect(await rig.store.getLane(id)).toBeNull();
      expect(await rig.store.listAfter(id, 0, 100)).toEqual([]);
      for (const run of [done.id, queued.id]) expect(await rig.store.get(run)).toBeNull();
      expect(await rig.store.readOriginal(done.id)).toBeNull();
      expect(await rig.store.listInvocations(done.id)).toEqual([]);
      expect(await rig.store.sumInvocations(id)).toMatchObject({ invocations: 0 });
      expect(await rig.queue.counts()).toEqual({ succeeded: 1 });
      expect(await rig.queue.run(kept.id)).toMatchObject({ state: 'succeeded' });
      const page = await rig.store.listSessions({ archived: false, tag: 'web', limit: 10 });
      expect(page.map(({ session }) => session.id)).toEqual([other]);
      expect((await rig.reconcile()).changes).toEqual([]);
      await rig.session('ACTIVE', { name: 'mine' });
      await expect(rig.store.deleteSession(id)).rejects.toEqual(refused('not_found'));
    },
  );

  rule('[S12] [Q23] the workspace of a pinned session is left to its host', async (rig) => {
    const { store } = rig;
    const ready = { do: 'ready', path: '/w', host: 'host-1' } as const;
    const [pinned, free] = [
      await rig.session('PENDING', { pin: true }),
      await rig.session('PENDING', { pin: false }),
    ];
    for (const id of [pinned, free]) {
      await rig.do(id, ready);
      await store.deleteSession(id);
    }
    await store.deleteSession(await rig.session('PENDING', { pin: true }));
    // One that is not pinned is in a directory that all hosts share.
    expect(await store.listLeftWorkspaces('host-2', 10)).toEqual([free]);
    expect(await store.listLeftWorkspaces('host-1', 10)).toEqual([pinned, free]);
    for (const id of [free, pinned, pinned]) await store.forgetLeftWorkspace(id, 'host-1');
    expect(await store.listLeftWorkspaces('host-1', 10)).toEqual([]);
  });

  rule('[S12] [Q23] a session that was moved is left to every host it has been on', async (rig) => {
    const { store } = rig;
    const left = () =>
      Promise.all(['host-1', 'host-2', 'host-3'].map((host) => store.listLeftWorkspaces(host, 10)));
    const move = (id: string, host: string) => rig.do(id, { do: 'move', host, path: '/w' });
    const [moved, returned, free] = [
      await rig.session('ACTIVE', { pin: true, host: 'host-1' }),
      await rig.session('ACTIVE', { pin: true, host: 'host-1' }),
      await rig.session('ACTIVE', { pin: false }),
    ];
    for (const host of ['host-2', 'host-3']) await move(moved, host);
    for (const host of ['host-2', 'host-1', 'host-2', 'host-1']) await move(returned, host);
    await move(free, 'host-2');
    expect(await left()).toEqual([[], [], []]);
    await store.deleteSession(moved);
    expect(await left()).toEqual([[moved], [moved], [moved]]);
    await store.forgetLeftWorkspace(moved, 'host-2');
    expect(await left()).toEqual([[moved], [], [moved]]);
    for (const host of ['host-1', 'host-3']) await store.forgetLeftWorkspace(moved, host);
    await store.deleteSession(returned);
    expect(await left()).toEqual([[returned], [returned], []]);
    for (const host of ['host-1', 'host-2']) await store.forgetLeftWorkspace(returned, host);
    // Before the move, it was in the directory that all hosts share, so any of them can remove that.
    await store.deleteSession(free);
    expect(await left()).toEqual([[free], [free], [free]]);
    await store.forgetLeftWorkspace(free, 'host-1');
    expect(await left()).toEqual([[], [free], []]);
    await store.forgetLeftWorkspace(free, 'host-2');
    expect(await left()).toEqual([[], [], []]);
  });

  rule('[S12] while a run executes, it is asked to stop and the session stays', async (rig) => {
    const id = await rig.session('ACTIVE');
    const running = await rig.begin(id);
    const { receipt: queued } = await rig.send(id);
    const hinted = rig.queue.hint(({ nodes }) => nodes.includes('node-1'));
    await expect(rig.store.deleteSession(id)).rejects.toEqual(refused('session_busy'));
    await hinted;
    expect(await rig.queue.run(queued.id)).toMatchObject({ state: 'cancelled' });
    expect(await rig.queue.lane(id)).toMatchObject({ cancel: 'stop' });
    await expect(rig.store.deleteSession(id)).rejects.toEqual(refused('session_busy'));
    await rig.queue.end(running, { kind: 'cancelled' });
    await rig.store.deleteSession(id);
    expect(await rig.queue.counts()).toEqual({});
  });

  rule('[S12] a protected label keeps a session, and its runs continue', async (rig) => {
    for (const label of ['important', 'audit']) {
      const id = await rig.session('ACTIVE', { labels: ['x', label] });
      const { receipt } = await rig.send(id);
      const removal = rig.store.deleteSession(id);
      await expect(removal).rejects.toMatchObject({
        code: 'session_protected',
        details: { label },
      });
      expect(await rig.queue.run(receipt.id)).toMatchObject({ state: 'queued' });
      await rig.do(id, { do: 'update', changes: { labels: ['x'] } });
      await rig.store.deleteSession(id);
      expect(await rig.store.getSession(id)).toBeNull();
    }
  });

  rule('[Q6] late writes of a deleted session’s worker change nothing', async (rig) => {
    const id = await rig.session('ACTIVE');
    const running = await rig.begin(id);
    await rig.queue.end(running);
    await rig.store.deleteSession(id);
    expect(await rig.queue.write(running, { events: [eventOf('run.progress', 1)] })).toBe(false);
    expect(await rig.store.getLane(id)).toBeNull();
  });
}
