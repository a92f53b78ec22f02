import { expect } from 'vitest';
import { LEASE_MS, refused } from '../../queue/conformance/rig.ts';
import { MINUTE, type SessionRule, type SessionStoreRig } from './rig.ts';

const countsEmitted = async (rig: SessionStoreRig, id: string): Promise<unknown[]> =>
  (await rig.events(id, 'session.connections')).map(({ payload }) => payload);

export function connectionRules(rule: SessionRule): void {
  rule('[S3] a connection makes an IDLE session ACTIVE and clears its timer', async (rig) => {
    await rig.queue.node();
    const id = await rig.session('IDLE');
    rig.advance(MINUTE / 4);
    await rig.queue.node();
    const changes = await rig.connect(id);
    expect(changes).toEqual([{ sessionId: id, from: 'IDLE', to: 'ACTIVE', reason: 'connected' }]);
    expect(await rig.current(id)).toMatchObject({
      activeConnections: 1,
      session: { status: 'ACTIVE', destroyAt: null },
    });
  });

  rule('[S3] in other statuses a connection changes only the count', async (rig) => {
    await rig.queue.node();
    for (const status of ['PENDING', 'ACTIVE', 'ERROR', 'COMPLETED', 'TERMINATED'] as const) {
      const id = await rig.session(status);
      expect(await rig.connect(id)).toEqual([]);
      expect(await rig.current(id)).toMatchObject({ activeConnections: 1, session: { status } });
    }
  });

  rule('[S3] while someone is connected a session is not idle', async (rig) => {
    await rig.queue.node('node-1', { leaseMs: 60 * MINUTE });
    const id = await rig.session('ACTIVE');
    await rig.connect(id, 'node-1', 'c1');
    await rig.connect(id, 'node-1', 'c2');
    rig.advance(10 * MINUTE);
    expect((await rig.reconcile()).changes).toEqual([]);
    await rig.store.closeConnections(['c1']);
    expect((await rig.reconcile()).changes).toEqual([]);
    await rig.store.closeConnections(['c2', 'c1']);
    expect((await rig.reconcile()).changes).toMatchObject([{ to: 'IDLE', reason: 'quiet' }]);
  });

  rule('[S1] reading a session is not activity', async (rig) => {
    await rig.queue.node('node-1', { leaseMs: 60 * MINUTE });
    const id = await rig.session('IDLE');
    const { lastActiveAt, updatedAt } = await rig.record(id);
    rig.advance(MINUTE);
    await rig.connect(id, 'node-1', 'c1');
    expect(await rig.record(id)).toMatchObject({ status: 'ACTIVE', lastActiveAt });
    rig.advance(MINUTE);
    await rig.store.closeConnections(['c1']);
    expect(await rig.record(id)).toMatchObject({ lastActiveAt });
    await rig.reconcile();
    expect(await rig.record(id)).toMatchObject({ status: 'IDLE', lastActiveAt });
    expect((await rig.record(id)).updatedAt).toBeGreaterThan(updatedAt);
    await rig.send(id);
    expect(await rig.record(id)).toMatchObject({ lastActiveAt: rig.now });
  });

  rule('[S3] connections of a dead node do not count, and are removed', async (rig) => {
    await rig.queue.node('node-1');
    await rig.queue.node('node-2', { leaseMs: 60 * MINUTE });
    const id = await rig.session('ACTIVE');
    await rig.connect(id, 'node-1');
    await rig.connect(id, 'node-1');
    await rig.connect(id, 'node-2', 'c2');
    expect(await rig.current(id)).toMatchObject({ activeConnections: 3 });
    rig.advance(LEASE_MS);
    expect(await rig.current(id)).toMatchObject({ activeConnections: 1 });
    await rig.reconcile();
    // Any rows still there would count again once the node is back.
    await rig.queue.node('node-1');
    expect(await rig.current(id)).toMatchObject({ activeConnections: 1 });
    await rig.store.leave('node-2');
    rig.advance(MINUTE);
    expect((await rig.reconcile()).changes).toMatchObject([{ to: 'IDLE' }]);
  });

  rule('[S3] a node without a lease has no connections, nor has a missing session', async (rig) => {
    await rig.queue.node();
    const id = await rig.session('ACTIVE');
    await expect(rig.connect(id, 'nobody')).rejects.toEqual(refused('node_lost'));
    await expect(rig.connect('nothing')).rejects.toEqual(refused('not_found'));
    rig.advance(LEASE_MS);
    await expect(rig.connect(id)).rejects.toEqual(refused('node_lost'));
    expect(await rig.current(id)).toMatchObject({ activeConnections: 0 });
  });

  rule('[S3] a connection opened again counts once, for its current node', async (rig) => {
    await rig.queue.node('node-1');
    const id = await rig.session('ACTIVE');
    await rig.connect(id, 'node-1', 'c1');
    await rig.connect(id, 'node-1', 'c1');
    expect(await rig.current(id)).toMatchObject({ activeConnections: 1 });
    await rig.queue.node('node-2');
    await rig.connect(id, 'node-2', 'c1');
    await rig.store.leave('node-1');
    await rig.reconcile();
    expect(await rig.current(id)).toMatchObject({ activeConnections: 1 });
  });

  rule('[S3] many connections are opened at once', async (rig) => {
    await rig.queue.node();
    const id = await rig.session('IDLE');
    await rig.queue.node();
    const many = Array.from({ length: 250 }, (_, i) => ({
      id: `c${i}`,
      userId: `user ${i}`,
      kind: i % 2 === 0 ? ('sse' as const) : ('ws' as const),
    }));
    const key = { sessionId: id, nodeId: 'node-1' };
    expect(await rig.store.openConnections(key, many)).toMatchObject([{ to: 'ACTIVE' }]);
    expect(await rig.store.openConnections(key, many)).toEqual([]);
    expect(await rig.current(id)).toMatchObject({ activeConnections: 250 });
    await rig.store.closeConnections(many.map((one) => one.id));
    expect(await rig.current(id)).toMatchObject({ activeConnections: 0 });
  });

  rule('[E5] the number of connections is emitted, once per pass', async (rig) => {
    await rig.queue.node('node-1');
    const id = await rig.session('ACTIVE');
    await rig.connect(id, 'node-1', 'c1');
    await rig.connect(id, 'node-1', 'c2');
    await rig.store.closeConnections(['c2']);
    expect(await countsEmitted(rig, id)).toEqual([]);
    await rig.reconcile();
    await rig.reconcile();
    expect(await countsEmitted(rig, id)).toEqual([{ activeConnections: 1 }]);
    await rig.connect(id, 'node-1', 'c3');
    await rig.store.closeConnections(['c3']);
    await rig.reconcile();
    rig.advance(LEASE_MS);
    await rig.reconcile();
    expect(await countsEmitted(rig, id)).toEqual([
      { activeConnections: 1 },
      { activeConnections: 0 },
    ]);
  });

  rule('[E5] the number of connections of an ended session is emitted, too', async (rig) => {
    await rig.queue.node();
    const id = await rig.session('COMPLETED');
    await rig.connect(id);
    await rig.reconcile();
    expect(await countsEmitted(rig, id)).toEqual([{ activeConnections: 1 }]);
  });

  rule('[S3] closing connections that are not open changes nothing', async (rig) => {
    await rig.queue.node();
    const id = await rig.session('ACTIVE');
    await rig.connect(id, 'node-1', 'c1');
    const before = await rig.current(id);
    rig.advance(10);
    await rig.store.closeConnections([]);
    await rig.store.closeConnections(['nothing']);
    expect(await rig.current(id)).toEqual(before);
    expect(before.activeConnections).toBe(1);
  });
}
