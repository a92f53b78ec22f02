import { expect } from 'vitest';
import { toTime } from '../../contract/values/time.ts';
import { admission } from '../../queue/conformance/rig.ts';
import type { Usage } from '../access-store.ts';
import { type AccessRule, HOUR, MINUTE } from './rig.ts';

const LOAD = { cpu: 0.5, memoryBytes: 1000, eventLoopDelayMs: 1.5, streams: 3 };
const byKey = (usage: readonly Usage[]): Record<string, number> =>
  Object.fromEntries(usage.map(({ key, value }) => [key, value]));

export function nodeRules(rule: AccessRule): void {
  rule('[H9] a node gets the summed usage of the other live nodes', async (rig) => {
    const { store } = rig;
    await rig.node('a');
    await rig.node('b', 10 * MINUTE);
    await rig.node('c');
    const say = (node: string, usage: Record<string, number>) =>
      store.exchangeUsage(
        node,
        Object.entries(usage).map(([key, value]) => ({ key, value })),
      );
    expect(await say('a', { x: 1, y: 0.5 })).toEqual([]);
    expect(byKey(await say('b', { x: 2, '日本"': 7 }))).toEqual({ x: 1, y: 0.5 });
    expect(byKey(await say('c', {}))).toEqual({ x: 3, y: 0.5, '日本"': 7 });
    // A node's usage replaces what it stored before.
    expect(byKey(await say('a', { y: 4 }))).toEqual({ x: 2, '日本"': 7 });
    expect(byKey(await say('c', {}))).toEqual({ x: 2, y: 4, '日本"': 7 });
    rig.now += 10 * MINUTE;
    expect(byKey(await say('c', {}))).toEqual({ y: 4 });
    await store.leave('a');
    expect(await say('c', {})).toEqual([]);
    // A node that was taken over but does not know it yet does not count.
    await store.takeOver([]);
    await say('b', { x: 9 });
    expect(await say('c', {})).toEqual([]);
    await rig.node('b');
    expect(await say('c', {})).toEqual([]);
  });

  rule('[O2] nodes are listed with lease, load, runs and connections', async (rig) => {
    const { store } = rig;
    await rig.node('a');
    rig.now += 1;
    await rig.node('b', MINUTE);
    const sessionId = await rig.session('admin');
    await store.openConnections({ sessionId, nodeId: 'b' }, [
      { id: 'c1', userId: 'admin', kind: 'sse' },
      { id: 'c2', userId: 'admin', kind: 'ws' },
    ]);
    await store.enqueue([admission({ type: 'agent' })]);
    await store.claim({
      nodeId: 'a',
      types: ['agent'],
      limit: 1,
      caps: { types: {}, perOwner: null },
    });
    await store.saveLoad('a', LOAD);
    await store.saveLoad('nobody', LOAD);
    const saved = rig.now;
    rig.now += MINUTE;
    await rig.node('c', HOUR, ['api']);
    const [a, b, c, ...others] = await store.listNodeViews();
    expect(others).toEqual([]);
    expect(a).toEqual({
      id: 'a',
      host: 'host-of-a',
      hostName: 'host-of-a',
      pid: 1,
      roles: ['api', 'worker'],
      types: ['agent'],
      version: '1',
      startedAt: toTime(saved - 1),
      leaseUntil: toTime(saved - 1 + HOUR),
      alive: true,
      url: 'http://a.internal:8080',
      capacity: 4,
      executing: 1,
      connections: 0,
      load: { ...LOAD, at: toTime(saved) },
    });
    expect(b).toMatchObject({ id: 'b', alive: false, executing: 0, connections: 2, load: null });
    expect(c).toMatchObject({ id: 'c', roles: ['api'], capacity: 0, url: null });
  });
}
