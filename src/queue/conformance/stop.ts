import { expect } from 'vitest';
import { READY } from '../hint.ts';
import type { ClaimedRun } from '../store.ts';
import { LEASE_MS, type Rig, type Rule } from './rig.ts';

const STOP = { by: 'ann', reason: 'an incident' };
const HANDED_BACK = { kind: 'handed_back', reason: 'stopped' } as const;

/** The switch that stops the installation: while it is on, nothing is handed out. */
export function stopRules(rule: Rule): void {
  rule(
    '[P6] who stopped the installation, when and why is stored until it is resumed',
    async (rig) => {
      expect(await rig.store.getStop()).toBeNull();
      const stopped = { ...STOP, since: rig.now };
      expect(await rig.store.setStop(STOP)).toEqual(stopped);
      expect(await rig.store.getStop()).toEqual(stopped);
      rig.advance(1000);
      const again = { by: 'bob', reason: null };
      expect(await rig.store.setStop(again)).toEqual({ ...again, since: stopped.since });
      expect(await rig.store.setStop(null)).toBeNull();
      expect(await rig.store.setStop(null)).toBeNull();
      expect(await rig.store.getStop()).toBeNull();
    },
  );

  rule('[Q9] [Q12] nothing is claimed during a stop', async (rig) => {
    await rig.node('node-1', { host: 'host-1' });
    await rig.node('node-2', { host: 'host-2' });
    await rig.change({ do: 'configure', lane: 'pinned', settings: { host: 'host-2' } });
    await rig.enqueue({ lane: 'pinned' });
    await rig.enqueueMany(3);
    await rig.store.setStop(STOP);
    await rig.enqueue();
    for (const nodeId of ['node-1', 'node-2']) {
      expect(await rig.claim({ nodeId })).toEqual([]);
      expect(await rig.claim({ nodeId, caps: { types: { task: 9 }, perOwner: 9 } })).toEqual([]);
    }
    expect(await rig.counts()).toEqual({ queued: 5 });
    await rig.store.setStop(null);
    expect(await rig.claim({ nodeId: 'node-2' })).toHaveLength(5);
  });

  rule(
    '[Q1] [Q3] [Q14] after a stop, handed-back runs are claimed first, in order',
    async (rig) => {
      await rig.node();
      const first = await rig.enqueueMany(3, { lane: 'a' });
      const second = await rig.enqueueMany(2, { lane: 'b' });
      const [a, other] = [await rig.begin(), await rig.begin()];
      await rig.store.setStop(STOP);
      for (const claimed of [a, other]) await rig.end(claimed, HANDED_BACK);
      expect(await rig.claim()).toEqual([]);
      expect(await rig.run(a.run.id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
      expect(await rig.queued('a')).toEqual(first.slice(1));
      await rig.store.setStop(null);
      const started: Record<string, string[]> = { a: [], b: [] };
      for (let round = 0; round < 3; round++) {
        for (const claimed of await rig.claim()) {
          started[claimed.run.lane]?.push(claimed.run.id);
          expect(claimed.run.attempts).toBe(1);
          await rig.finish(claimed);
        }
      }
      expect(started).toEqual({ a: first, b: second });
    },
  );

  rule('[Q2] after a stop, caps count runs that have not been handed back yet', async (rig) => {
    await rig.node();
    const request = { caps: { types: { task: 2 }, perOwner: null } };
    await rig.enqueueMany(4);
    const [slow, quick] = (await rig.claim(request)) as [ClaimedRun, ClaimedRun];
    await rig.store.setStop(STOP);
    await rig.end(quick, HANDED_BACK);
    await rig.store.setStop(null);
    expect(await rig.claim(request)).toHaveLength(1);
    await rig.end(slow, HANDED_BACK);
    expect(await rig.claim(request)).toHaveLength(1);
    expect(await rig.claim(request)).toEqual([]);
  });

  rule('[Q3] a run that becomes due during a stop joins its lane', async (rig) => {
    await rig.node();
    const due = await rig.enqueue({ lane: 'l', delayMs: 1000 });
    await rig.store.setStop(STOP);
    rig.advance(2000);
    expect(await rig.claim()).toEqual([]);
    const later = await rig.enqueue({ lane: 'l' });
    expect(await rig.queued('l')).toEqual([due.id, later.id]);
    await rig.store.setStop(null);
    expect(await rig.claimIds()).toEqual([due.id]);
  });

  rule('[A7] an answer during a stop gives no slot back', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const asking = await rig.begin();
    await rig.write(asking, { ask: true });
    await rig.store.setStop(STOP);
    await rig.change({ do: 'answer', run: id });
    expect(await rig.claim()).toEqual([]);
    expect((await rig.run(id)).state).toBe('waiting');
    // Its agent is stopped after the answer: the run is queued, and the question is not asked
    // again.
    await rig.end(asking, { kind: 'left_waiting' });
    expect(await rig.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
    expect(await rig.claim()).toEqual([]);
    await rig.store.setStop(null);
    expect(await rig.claimIds()).toEqual([id]);
  });

  rule(
    '[A7] an open question stays open during a stop, and its answer queues the run',
    async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue();
      const asking = await rig.begin();
      await rig.write(asking, { ask: true });
      await rig.store.setStop(STOP);
      await rig.end(asking, { kind: 'left_waiting' });
      expect((await rig.run(id)).state).toBe('waiting');
      await rig.change({ do: 'answer', run: id });
      expect((await rig.run(id)).state).toBe('queued');
      expect(await rig.claim()).toEqual([]);
      await rig.store.setStop(null);
      expect(await rig.claimIds()).toEqual([id]);
    },
  );

  rule('[Q9] every node gets a hint of a stop, and sees it in its poll', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2');
    expect((await rig.store.poll('node-1')).stopped).toBe(false);
    const stopped = hintOfBoth(rig);
    await rig.store.setStop(STOP);
    await stopped;
    expect((await rig.store.poll('node-1')).stopped).toBe(true);
    expect((await rig.store.poll('node-2')).stopped).toBe(true);
    const ready = rig.hintOf(READY);
    const resumed = hintOfBoth(rig);
    await rig.store.setStop(null);
    await Promise.all([ready, resumed]);
    expect((await rig.store.poll('node-1')).stopped).toBe(false);
  });

  rule('[Q7] the runs of a node that dies during a stop also wait', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    await rig.begin();
    await rig.store.setStop(STOP);
    rig.advance(LEASE_MS + 1);
    await rig.node('node-2');
    await rig.store.takeOver([]);
    expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
    await rig.store.setStop(null);
    expect(await rig.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q2] [Q9] of a concurrent claim and stop, one sees the other', async (rig) => {
    const nodes = await Promise.all(['a', 'b', 'c'].map((id) => rig.node(`node-${id}`)));
    for (let round = 0; round < 10; round++) {
      await rig.enqueueMany(6);
      let answered = false;
      const late: ClaimedRun[] = [];
      const claims = nodes.map(async (nodeId) => {
        for (let i = 0; i < 4; i++) {
          const began = answered;
          const claimed = await rig.claim({ nodeId, limit: 1 });
          // A claim that begins after setStop() has returned gets nothing.
          if (began) late.push(...claimed);
          for (const one of claimed) await rig.finish(one);
        }
      });
      const stop = rig.store.setStop(STOP).then(() => {
        answered = true;
      });
      await Promise.all([...claims, stop]);
      expect(late).toEqual([]);
      expect(await rig.claim({ nodeId: 'node-a' })).toEqual([]);
      await rig.store.setStop(null);
      for (const claimed of await rig.claim({ nodeId: 'node-a' })) await rig.finish(claimed);
      expect(await rig.counts()).toEqual({ succeeded: 6 * (round + 1) });
    }
  });
}

const hintOfBoth = (rig: Rig): Promise<unknown> =>
  rig.hint(({ nodes }) => nodes.includes('node-1') && nodes.includes('node-2'));
