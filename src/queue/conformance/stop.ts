import { expect } from 'vitest';
import type { ClaimedRun } from '../store.ts';
import { type Bench, LEASE_MS, type Rule } from './rig.ts';

const STOP = { by: 'ann', reason: 'an incident' };
const HANDED_BACK = { kind: 'handed_back', reason: 'stopped' } as const;

/** The switch that stops everything: nothing is given out while it is on. */
export function stopRules(rule: Rule): void {
  rule('[P6] who stopped everything, when and why is kept until it is resumed', async (b) => {
    expect(await b.store.getStop()).toBeNull();
    const stopped = { ...STOP, since: b.now };
    expect(await b.store.setStop(STOP)).toEqual(stopped);
    expect(await b.store.getStop()).toEqual(stopped);
    b.advance(1000);
    const again = { by: 'bob', reason: null };
    expect(await b.store.setStop(again)).toEqual({ ...again, since: stopped.since });
    expect(await b.store.setStop(null)).toBeNull();
    expect(await b.store.setStop(null)).toBeNull();
    expect(await b.store.getStop()).toBeNull();
  });

  rule('[Q9] [Q12] nothing is claimed while everything is stopped', async (b) => {
    await b.node('node-1', { host: 'host-1' });
    await b.node('node-2', { host: 'host-2' });
    await b.change({ do: 'configure', lane: 'pinned', settings: { host: 'host-2' } });
    await b.enqueue({ lane: 'pinned' });
    await b.enqueueMany(3);
    await b.store.setStop(STOP);
    await b.enqueue();
    for (const nodeId of ['node-1', 'node-2']) {
      expect(await b.claim({ nodeId })).toEqual([]);
      expect(await b.claim({ nodeId, caps: { types: { task: 9 }, perOwner: 9 } })).toEqual([]);
    }
    expect(await b.counts()).toEqual({ queued: 5 });
    await b.store.setStop(null);
    expect(await b.claim({ nodeId: 'node-2' })).toHaveLength(5);
  });

  rule('[Q1] [Q3] [Q14] what was handed back is claimed first again, in order', async (b) => {
    await b.node();
    const first = await b.enqueueMany(3, { lane: 'a' });
    const second = await b.enqueueMany(2, { lane: 'b' });
    const [a, other] = [await b.begin(), await b.begin()];
    await b.store.setStop(STOP);
    for (const claimed of [a, other]) await b.end(claimed, HANDED_BACK);
    expect(await b.claim()).toEqual([]);
    expect(await b.run(a.run.id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
    expect(await b.queued('a')).toEqual(first.slice(1));
    await b.store.setStop(null);
    const started: Record<string, string[]> = { a: [], b: [] };
    for (let round = 0; round < 3; round++) {
      for (const claimed of await b.claim()) {
        started[claimed.run.lane]?.push(claimed.run.id);
        expect(claimed.run.attempts).toBe(1);
        await b.finish(claimed);
      }
    }
    expect(started).toEqual({ a: first, b: second });
  });

  rule('[Q2] caps count what has not been handed back yet after it is resumed', async (b) => {
    await b.node();
    const request = { caps: { types: { task: 2 }, perOwner: null } };
    await b.enqueueMany(4);
    const [slow, quick] = (await b.claim(request)) as [ClaimedRun, ClaimedRun];
    await b.store.setStop(STOP);
    await b.end(quick, HANDED_BACK);
    await b.store.setStop(null);
    expect(await b.claim(request)).toHaveLength(1);
    await b.end(slow, HANDED_BACK);
    expect(await b.claim(request)).toHaveLength(1);
    expect(await b.claim(request)).toEqual([]);
  });

  rule('[Q3] a run that becomes due while everything is stopped joins its lane', async (b) => {
    await b.node();
    const due = await b.enqueue({ lane: 'l', delayMs: 1000 });
    await b.store.setStop(STOP);
    b.advance(2000);
    expect(await b.claim()).toEqual([]);
    const later = await b.enqueue({ lane: 'l' });
    expect(await b.queued('l')).toEqual([due.id, later.id]);
    await b.store.setStop(null);
    expect(await b.claimIds()).toEqual([due.id]);
  });

  rule('[A7] an answer while everything is stopped gives no slot back', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const asking = await b.begin();
    await b.write(asking, { ask: true });
    await b.store.setStop(STOP);
    await b.change({ do: 'answer', run: id });
    expect(await b.claim()).toEqual([]);
    expect((await b.run(id)).state).toBe('waiting');
    // Its agent is stopped with the answer given: it is queued, and nobody is asked again.
    await b.end(asking, { kind: 'left_waiting' });
    expect(await b.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
    expect(await b.claim()).toEqual([]);
    await b.store.setStop(null);
    expect(await b.claimIds()).toEqual([id]);
  });

  rule('[A7] a question that is open stays open, and its answer queues the run', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const asking = await b.begin();
    await b.write(asking, { ask: true });
    await b.store.setStop(STOP);
    await b.end(asking, { kind: 'left_waiting' });
    expect((await b.run(id)).state).toBe('waiting');
    await b.change({ do: 'answer', run: id });
    expect((await b.run(id)).state).toBe('queued');
    expect(await b.claim()).toEqual([]);
    await b.store.setStop(null);
    expect(await b.claimIds()).toEqual([id]);
  });

  rule('[Q9] every node is hinted, and sees it in its poll', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    expect((await b.store.poll('node-1')).stopped).toBe(false);
    const stopped = hintOfBoth(b);
    await b.store.setStop(STOP);
    await stopped;
    expect((await b.store.poll('node-1')).stopped).toBe(true);
    expect((await b.store.poll('node-2')).stopped).toBe(true);
    const ready = b.hint((hint) => hint.ready);
    const resumed = hintOfBoth(b);
    await b.store.setStop(null);
    await Promise.all([ready, resumed]);
    expect((await b.store.poll('node-1')).stopped).toBe(false);
  });

  rule('[Q7] the runs of a node that dies while everything is stopped wait too', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    await b.begin();
    await b.store.setStop(STOP);
    b.advance(LEASE_MS + 1);
    await b.node('node-2');
    await b.store.takeOver([]);
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
    await b.store.setStop(null);
    expect(await b.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q2] [Q9] of a claim and a stop at once, one sees the other', async (b) => {
    const nodes = await Promise.all(['a', 'b', 'c'].map((id) => b.node(`node-${id}`)));
    for (let round = 0; round < 10; round++) {
      await b.enqueueMany(6);
      let answered = false;
      const late: ClaimedRun[] = [];
      const claims = nodes.map(async (nodeId) => {
        for (let i = 0; i < 4; i++) {
          const began = answered;
          const claimed = await b.claim({ nodeId, limit: 1 });
          // A claim that began after the stop was answered gets nothing.
          if (began) late.push(...claimed);
          for (const one of claimed) await b.finish(one);
        }
      });
      const stop = b.store.setStop(STOP).then(() => {
        answered = true;
      });
      await Promise.all([...claims, stop]);
      expect(late).toEqual([]);
      expect(await b.claim({ nodeId: 'node-a' })).toEqual([]);
      await b.store.setStop(null);
      for (const claimed of await b.claim({ nodeId: 'node-a' })) await b.finish(claimed);
      expect(await b.counts()).toEqual({ succeeded: 6 * (round + 1) });
    }
  });
}

const hintOfBoth = (b: Bench): Promise<unknown> =>
  b.hint(({ nodes }) => nodes.includes('node-1') && nodes.includes('node-2'));
