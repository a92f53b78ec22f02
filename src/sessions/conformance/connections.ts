import { expect } from 'vitest';
import { LEASE_MS, refused } from '../../queue/conformance/rig.ts';
import { MINUTE, type SessionBench, type SessionRule } from './rig.ts';

const told = async (bench: SessionBench, id: string): Promise<unknown[]> =>
  (await bench.events(id, 'session.connections')).map(({ payload }) => payload);

export function connectionRules(rule: SessionRule): void {
  rule('[S3] a connection makes an IDLE session ACTIVE and clears its time', async (bench) => {
    await bench.queue.node();
    const id = await bench.session('IDLE');
    bench.advance(MINUTE / 4);
    await bench.queue.node();
    const changes = await bench.connect(id);
    expect(changes).toEqual([{ sessionId: id, from: 'IDLE', to: 'ACTIVE', reason: 'connected' }]);
    expect(await bench.found(id)).toMatchObject({
      activeConnections: 1,
      session: { status: 'ACTIVE', destroyAt: null },
    });
  });

  rule('[S3] to any other session a connection changes nothing but the count', async (bench) => {
    await bench.queue.node();
    for (const status of ['PENDING', 'ACTIVE', 'ERROR', 'COMPLETED', 'TERMINATED'] as const) {
      const id = await bench.session(status);
      expect(await bench.connect(id)).toEqual([]);
      expect(await bench.found(id)).toMatchObject({ activeConnections: 1, session: { status } });
    }
  });

  rule('[S3] while someone is connected a session is not idle', async (bench) => {
    await bench.queue.node('node-1', { leaseMs: 60 * MINUTE });
    const id = await bench.session('ACTIVE');
    await bench.connect(id, 'node-1', 'c1');
    await bench.connect(id, 'node-1', 'c2');
    bench.advance(10 * MINUTE);
    expect((await bench.settle()).changes).toEqual([]);
    await bench.store.closeConnections(['c1']);
    expect((await bench.settle()).changes).toEqual([]);
    await bench.store.closeConnections(['c2', 'c1']);
    expect((await bench.settle()).changes).toMatchObject([{ to: 'IDLE', reason: 'quiet' }]);
  });

  rule('[S1] reading a session is not activity', async (bench) => {
    await bench.queue.node('node-1', { leaseMs: 60 * MINUTE });
    const id = await bench.session('IDLE');
    const { lastActiveAt, updatedAt } = await bench.record(id);
    bench.advance(MINUTE);
    await bench.connect(id, 'node-1', 'c1');
    expect(await bench.record(id)).toMatchObject({ status: 'ACTIVE', lastActiveAt });
    bench.advance(MINUTE);
    await bench.store.closeConnections(['c1']);
    expect(await bench.record(id)).toMatchObject({ lastActiveAt });
    await bench.settle();
    expect(await bench.record(id)).toMatchObject({ status: 'IDLE', lastActiveAt });
    expect((await bench.record(id)).updatedAt).toBeGreaterThan(updatedAt);
    await bench.send(id);
    expect(await bench.record(id)).toMatchObject({ lastActiveAt: bench.now });
  });

  rule('[S3] connections of a node that died do not count, and their rows go', async (bench) => {
    await bench.queue.node('node-1');
    await bench.queue.node('node-2', { leaseMs: 60 * MINUTE });
    const id = await bench.session('ACTIVE');
    await bench.connect(id, 'node-1');
    await bench.connect(id, 'node-1');
    await bench.connect(id, 'node-2', 'c2');
    expect(await bench.found(id)).toMatchObject({ activeConnections: 3 });
    bench.advance(LEASE_MS);
    expect(await bench.found(id)).toMatchObject({ activeConnections: 1 });
    await bench.settle();
    // Were the rows still there, they would count again with the node.
    await bench.queue.node('node-1');
    expect(await bench.found(id)).toMatchObject({ activeConnections: 1 });
    await bench.store.leave('node-2');
    bench.advance(MINUTE);
    expect((await bench.settle()).changes).toMatchObject([{ to: 'IDLE' }]);
  });

  rule(
    '[S3] a node without a lease has no connections, and nor has what is not there',
    async (bench) => {
      await bench.queue.node();
      const id = await bench.session('ACTIVE');
      await expect(bench.connect(id, 'nobody')).rejects.toEqual(refused('node_lost'));
      await expect(bench.connect('nothing')).rejects.toEqual(refused('not_found'));
      bench.advance(LEASE_MS);
      await expect(bench.connect(id)).rejects.toEqual(refused('node_lost'));
      expect(await bench.found(id)).toMatchObject({ activeConnections: 0 });
    },
  );

  rule('[S3] a connection entered again counts once, for its present node', async (bench) => {
    await bench.queue.node('node-1');
    const id = await bench.session('ACTIVE');
    await bench.connect(id, 'node-1', 'c1');
    await bench.connect(id, 'node-1', 'c1');
    expect(await bench.found(id)).toMatchObject({ activeConnections: 1 });
    await bench.queue.node('node-2');
    await bench.connect(id, 'node-2', 'c1');
    await bench.store.leave('node-1');
    await bench.settle();
    expect(await bench.found(id)).toMatchObject({ activeConnections: 1 });
  });

  rule('[S3] many connections are entered at once', async (bench) => {
    await bench.queue.node();
    const id = await bench.session('IDLE');
    await bench.queue.node();
    const many = Array.from({ length: 250 }, (_, i) => ({
      id: `c${i}`,
      userId: `user ${i}`,
      kind: i % 2 === 0 ? ('sse' as const) : ('ws' as const),
    }));
    const place = { sessionId: id, nodeId: 'node-1' };
    expect(await bench.store.openConnections(place, many)).toMatchObject([{ to: 'ACTIVE' }]);
    expect(await bench.store.openConnections(place, many)).toEqual([]);
    expect(await bench.found(id)).toMatchObject({ activeConnections: 250 });
    await bench.store.closeConnections(many.map((one) => one.id));
    expect(await bench.found(id)).toMatchObject({ activeConnections: 0 });
  });

  rule('[E5] the log is told how many are connected, once a look', async (bench) => {
    await bench.queue.node('node-1');
    const id = await bench.session('ACTIVE');
    await bench.connect(id, 'node-1', 'c1');
    await bench.connect(id, 'node-1', 'c2');
    await bench.store.closeConnections(['c2']);
    expect(await told(bench, id)).toEqual([]);
    await bench.settle();
    await bench.settle();
    expect(await told(bench, id)).toEqual([{ activeConnections: 1 }]);
    await bench.connect(id, 'node-1', 'c3');
    await bench.store.closeConnections(['c3']);
    await bench.settle();
    bench.advance(LEASE_MS);
    await bench.settle();
    expect(await told(bench, id)).toEqual([{ activeConnections: 1 }, { activeConnections: 0 }]);
  });

  rule('[E5] the count of an ended session is told too', async (bench) => {
    await bench.queue.node();
    const id = await bench.session('COMPLETED');
    await bench.connect(id);
    await bench.settle();
    expect(await told(bench, id)).toEqual([{ activeConnections: 1 }]);
  });

  rule('[S3] closing connections that are not open changes nothing', async (bench) => {
    await bench.queue.node();
    const id = await bench.session('ACTIVE');
    await bench.connect(id, 'node-1', 'c1');
    const before = await bench.found(id);
    bench.advance(10);
    await bench.store.closeConnections([]);
    await bench.store.closeConnections(['nothing']);
    expect(await bench.found(id)).toEqual(before);
    expect(before.activeConnections).toBe(1);
  });
}
