import { expect } from 'vitest';
import { eventOf } from '../../contract/events/event-of.ts';
import { failed, LEASE_MS, type Rig, type Rule, SUCCEEDED } from './rig.ts';

/** Types, lists, counts and purges. */
export function readRules(rule: Rule): void {
  rule('[Q17] a node gets only runs of the types it asks for', async (rig) => {
    await rig.node();
    const mail = await rig.enqueue({ type: 'mail' });
    const task = await rig.enqueue({ type: 'task' });
    expect(await rig.claimIds({ types: ['task'] })).toEqual([task.id]);
    expect(await rig.claim({ types: [] })).toEqual([]);
    expect(await rig.claimIds({ types: ['mail', 'task'] })).toEqual([mail.id]);
  });

  rule('[Q17] a lane waits for a node that handles its next run', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l', type: 'mail' });
    await rig.enqueue({ lane: 'l', type: 'task' });
    expect(await rig.claim({ types: ['task'] })).toEqual([]);
    await rig.finish(await rig.claimOne({ types: ['mail'] }));
    expect(await rig.claim({ types: ['mail'] })).toEqual([]);
    expect(await rig.claim({ types: ['task'] })).toHaveLength(1);
  });

  rule('[Q17] types that no live node handles are listed', async (rig) => {
    await rig.enqueue({ type: 'mail' });
    await rig.enqueue({ type: 'task' });
    await rig.enqueue({ lane: 'l', type: 'task' });
    await rig.enqueue({ lane: 'l', type: 'behind' });
    expect([...(await rig.store.unhandledTypes())].sort()).toEqual(['mail', 'task']);
    await rig.node('node-1', { types: ['task'] });
    expect(await rig.store.unhandledTypes()).toEqual(['mail']);
    await rig.node('node-2', { types: ['mail'] });
    expect(await rig.store.unhandledTypes()).toEqual([]);
    rig.advance(LEASE_MS);
    expect([...(await rig.store.unhandledTypes())].sort()).toEqual(['mail', 'task']);
  });

  rule('[Q19] get returns state, attempts, last error and next time', async (rig) => {
    await rig.node();
    const runAt = rig.now + 500;
    const { id } = await rig.enqueue({
      lane: 'l',
      owner: 'ann',
      payload: [1],
      runAt,
      maxAttempts: 4,
    });
    expect(await rig.run(id)).toEqual({
      id,
      lane: 'l',
      owner: 'ann',
      type: 'task',
      payload: [1],
      state: 'queued',
      attempts: 0,
      maxAttempts: 4,
      crashes: 0,
      retryOf: null,
      idempotencyKey: null,
      createdAt: rig.now,
      updatedAt: rig.now,
      runAt,
      nextRunAt: null,
      startedAt: null,
      finishedAt: null,
      cancelRequestedAt: null,
      error: null,
      result: null,
      firstSeq: 1,
      lastSeq: null,
    });
    const createdAt = rig.now;
    rig.advance(500);
    const claimed = await rig.claimOne();
    expect(claimed.run).toMatchObject({ state: 'dequeued', attempts: 1, updatedAt: rig.now });
    expect(claimed.run).toEqual(await rig.run(id));
    rig.advance(10);
    await rig.write(claimed, { start: true });
    const startedAt = rig.now;
    rig.advance(10);
    await rig.end(claimed, failed('timeout', 'slow'), 2000);
    const error = { class: 'timeout', message: 'slow' };
    const nextRunAt = rig.now + 2000;
    expect(await rig.run(id)).toMatchObject({
      createdAt,
      startedAt,
      nextRunAt,
      error,
      attempts: 1,
    });
    rig.advance(2000);
    await rig.finish(await rig.claimOne(), { kind: 'succeeded', result: { ok: true } });
    expect(await rig.run(id)).toMatchObject({
      state: 'succeeded',
      result: { ok: true },
      startedAt,
      finishedAt: rig.now,
      updatedAt: rig.now,
    });
  });

  rule('[Q19] counts are the numbers of runs by state', async (rig) => {
    await rig.node();
    expect(Object.values(await rig.store.counts()).every((count) => count === 0)).toBe(true);
    await rig.enqueueMany(9, { maxAttempts: 1 });
    await rig.enqueue({ delayMs: 1000 });
    const claimed = await rig.claim({ limit: 7 });
    const outcomes = [
      SUCCEEDED,
      failed('invalid_request'),
      failed('timeout'),
      { kind: 'cancelled' },
      { kind: 'parked', until: rig.now + 1000, error: { class: 'usage_limit', message: '' } },
    ] as const;
    for (const [i, outcome] of outcomes.entries()) await rig.finish(claimed[i] ?? fail(), outcome);
    await rig.write(claimed[5] ?? fail(), { start: true, ask: true });
    expect(await rig.counts()).toEqual({
      queued: 3,
      dequeued: 1,
      waiting: 1,
      succeeded: 1,
      failed: 1,
      dead: 1,
      cancelled: 1,
      retry_scheduled: 1,
    });
  });

  rule('[Q19] runs are listed by age, in pages, by lane and by state', async (rig) => {
    await rig.node();
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) ids.push((await rig.enqueue({ lane: `lane-${i % 3}` })).id);
    const list = async (filter: Parameters<typeof rig.store.list>[0]) =>
      (await rig.store.list(filter)).map(({ id }) => id);
    expect(await list({ limit: 100 })).toEqual(ids);
    const first = await list({ limit: 4 });
    expect(first).toEqual(ids.slice(0, 4));
    expect(await list({ limit: 4, after: first.at(-1) ?? '' })).toEqual(ids.slice(4, 8));
    expect(await list({ limit: 100, after: ids[8] ?? '' })).toEqual([]);
    expect(await list({ lane: 'lane-1', limit: 100 })).toEqual([ids[1], ids[4], ids[7]]);
    expect(await list({ lane: 'lane-1', limit: 1, after: ids[1] ?? '' })).toEqual([ids[4]]);
    const newest = ids.toReversed();
    expect(await list({ limit: 100, newestFirst: true })).toEqual(newest);
    expect(await list({ limit: 4, after: newest[3] ?? '', newestFirst: true })).toEqual(
      newest.slice(4, 8),
    );
    expect(await list({ lane: 'lane-1', limit: 2, newestFirst: true })).toEqual([ids[7], ids[4]]);
    expect(
      await list({ lane: 'lane-1', limit: 2, after: ids[4] ?? '', newestFirst: true }),
    ).toEqual([ids[1]]);
    await rig.finish(await rig.claimOne());
    const done = await list({ states: ['succeeded'], limit: 100 });
    expect(done).toHaveLength(1);
    const rest = ids.filter((id) => id !== done[0]);
    expect(await list({ states: ['queued', 'running'], limit: 100 })).toEqual(rest);
    expect(await list({ lane: 'none', limit: 100 })).toEqual([]);
    expect(await list({ states: [], limit: 100 })).toEqual([]);
  });

  rule(
    '[Q21] a purge removes and counts runs that ended before a time, oldest first',
    async (rig) => {
      await rig.node();
      const ids = await finishedRuns(rig, 5);
      expect(await rig.store.purge({ before: rig.now - 3, limit: 100 })).toEqual({
        runs: 2,
        lanes: 2,
      });
      expect(await rig.store.get(ids[1] as string)).toBeNull();
      expect(await rig.store.getLane(ids[1] as string)).toBeNull();
      expect(await rig.store.listAfter(ids[1] as string, 0, 10)).toEqual([]);
      expect(await rig.store.purge({ before: rig.now + 1, limit: 2 })).toEqual({
        runs: 2,
        lanes: 2,
      });
      expect((await rig.store.list({ limit: 10 })).map(({ id }) => id)).toEqual([ids[4]]);
      expect(await rig.counts()).toEqual({ succeeded: 1 });
    },
  );

  rule(
    '[Q21] a purge keeps unfinished runs, and the events of other runs of the lane',
    async (rig) => {
      await rig.node();
      const ids = await rig.enqueueMany(3, { lane: 'l' });
      await rig.finish(await rig.claimOne());
      await rig.begin();
      rig.advance(1);
      expect(await rig.store.purge({ before: rig.now, limit: 100 })).toEqual({ runs: 1, lanes: 0 });
      expect(await rig.store.get(ids[0] as string)).toBeNull();
      expect(await rig.eventTypes('l', ids[0] as string)).toEqual([]);
      const events = await rig.store.listAfter('l', 0, 100);
      expect(events.map(({ runId }) => runId)).toEqual([ids[1], ids[2], ids[1], ids[1]]);
      expect(await rig.lane('l')).toMatchObject({ state: 'running', queued: 1 });
      // Sequence numbers continue where they were.
      await rig.change({ do: 'note', lane: 'l', event: eventOf('run.progress', {}) });
      const last = (await rig.store.listAfter('l', 0, 100)).at(-1);
      expect(last?.seq).toBe((events.at(-1)?.seq ?? 0) + 1);
    },
  );

  rule('[Q21] runs of a kept lane stay until it is no longer kept', async (rig) => {
    await rig.node();
    await rig.change({ do: 'configure', lane: 'l', settings: { kept: true } });
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.finish(await rig.claimOne());
    const [other] = await finishedRuns(rig, 1);
    rig.advance(1);
    expect(await rig.store.purge({ before: rig.now, limit: 100 })).toEqual({ runs: 1, lanes: 1 });
    expect(await rig.store.get(other as string)).toBeNull();
    expect((await rig.run(id)).state).toBe('succeeded');
    expect((await rig.eventTypes('l')).at(-1)).toBe('done');
    await rig.change({ do: 'configure', lane: 'l', settings: { kept: false } });
    expect(await rig.store.purge({ before: rig.now, limit: 100 })).toEqual({ runs: 1, lanes: 1 });
    expect(await rig.store.getLane('l')).toBeNull();
  });

  rule('[Q21] a lane that becomes kept later keeps its runs', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.finish(await rig.claimOne());
    await rig.change({ do: 'configure', lane: 'l', settings: { kept: true } });
    rig.advance(1);
    expect(await rig.store.purge({ before: rig.now, limit: 100 })).toEqual({ runs: 0, lanes: 0 });
    expect((await rig.run(id)).state).toBe('succeeded');
  });

  rule('[Q12] [Q21] a held lane without runs stays held', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    await rig.finish(await rig.claimOne());
    await rig.change({ do: 'hold', lane: 'l' });
    rig.advance(1);
    expect(await rig.store.purge({ before: rig.now, limit: 100 })).toEqual({ runs: 1, lanes: 0 });
    await rig.enqueue({ lane: 'l' });
    expect(await rig.lane('l')).toMatchObject({ held: true });
    expect(await rig.claim()).toEqual([]);
  });

  rule('[Q21] the key of a purged run can be used again', async (rig) => {
    await rig.node();
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'one' };
    await rig.enqueue(request);
    await rig.finish(await rig.claimOne());
    rig.advance(1);
    await rig.store.purge({ before: rig.now, limit: 100 });
    expect(await rig.enqueue({ ...request, bodyHash: 'two' })).toMatchObject({ known: false });
  });
}

function fail(): never {
  throw new Error('too few runs were claimed');
}

/** Creates runs that end one millisecond apart. */
async function finishedRuns(rig: Rig, count: number): Promise<string[]> {
  const ids = await rig.enqueueMany(count);
  const claimed = await rig.claim();
  for (const id of ids) {
    const one = claimed.find(({ run }) => run.id === id);
    await rig.finish(one ?? fail());
    rig.advance(1);
  }
  return ids;
}
