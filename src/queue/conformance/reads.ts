import { expect } from 'vitest';
import { type Bench, failed, LEASE_MS, type Rule, SUCCEEDED } from './rig.ts';

/** Types, lists, counts, and the removal of what is old. */
export function readRules(rule: Rule): void {
  rule('[Q17] a node is given only runs of types it asks for', async (b) => {
    await b.node();
    const mail = await b.enqueue({ type: 'mail' });
    const task = await b.enqueue({ type: 'task' });
    expect(await b.claimIds({ types: ['task'] })).toEqual([task.id]);
    expect(await b.claim({ types: [] })).toEqual([]);
    expect(await b.claimIds({ types: ['mail', 'task'] })).toEqual([mail.id]);
  });

  rule('[Q17] a lane waits for a node that handles its next run', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l', type: 'mail' });
    await b.enqueue({ lane: 'l', type: 'task' });
    expect(await b.claim({ types: ['task'] })).toEqual([]);
    await b.finish(await b.claimOne({ types: ['mail'] }));
    expect(await b.claim({ types: ['mail'] })).toEqual([]);
    expect(await b.claim({ types: ['task'] })).toHaveLength(1);
  });

  rule('[Q17] types that no live node handles are named', async (b) => {
    await b.enqueue({ type: 'mail' });
    await b.enqueue({ type: 'task' });
    await b.enqueue({ lane: 'l', type: 'task' });
    await b.enqueue({ lane: 'l', type: 'behind' });
    expect([...(await b.store.unhandledTypes())].sort()).toEqual(['mail', 'task']);
    await b.node('node-1', { types: ['task'] });
    expect(await b.store.unhandledTypes()).toEqual(['mail']);
    await b.node('node-2', { types: ['mail'] });
    expect(await b.store.unhandledTypes()).toEqual([]);
    b.advance(LEASE_MS);
    expect([...(await b.store.unhandledTypes())].sort()).toEqual(['mail', 'task']);
  });

  rule('[Q19] get gives state, attempts, last error and next time', async (b) => {
    await b.node();
    const runAt = b.now + 500;
    const { id } = await b.enqueue({
      lane: 'l',
      owner: 'ann',
      payload: [1],
      runAt,
      maxAttempts: 4,
    });
    expect(await b.run(id)).toEqual({
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
      createdAt: b.now,
      updatedAt: b.now,
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
    const createdAt = b.now;
    b.advance(500);
    const claimed = await b.claimOne();
    expect(claimed.run).toMatchObject({ state: 'dequeued', attempts: 1, updatedAt: b.now });
    expect(claimed.run).toEqual(await b.run(id));
    b.advance(10);
    await b.write(claimed, { start: true });
    const startedAt = b.now;
    b.advance(10);
    await b.end(claimed, failed('timeout', 'slow'), 2000);
    const error = { class: 'timeout', message: 'slow' };
    const nextRunAt = b.now + 2000;
    expect(await b.run(id)).toMatchObject({ createdAt, startedAt, nextRunAt, error, attempts: 1 });
    b.advance(2000);
    await b.finish(await b.claimOne(), { kind: 'succeeded', result: { ok: true } });
    expect(await b.run(id)).toMatchObject({
      state: 'succeeded',
      result: { ok: true },
      startedAt,
      finishedAt: b.now,
      updatedAt: b.now,
    });
  });

  rule('[Q19] counts are the numbers of runs by state', async (b) => {
    await b.node();
    expect(Object.values(await b.store.counts()).every((count) => count === 0)).toBe(true);
    await b.enqueueMany(9, { maxAttempts: 1 });
    await b.enqueue({ delayMs: 1000 });
    const claimed = await b.claim({ limit: 7 });
    const outcomes = [
      SUCCEEDED,
      failed('invalid_request'),
      failed('timeout'),
      { kind: 'cancelled' },
      { kind: 'parked', until: b.now + 1000, error: { class: 'usage_limit', message: '' } },
    ] as const;
    for (const [i, outcome] of outcomes.entries()) await b.finish(claimed[i] ?? fail(), outcome);
    await b.write(claimed[5] ?? fail(), { start: true, ask: true });
    expect(await b.counts()).toEqual({
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

  rule('[Q19] runs are listed by age, in pages, by lane and by state', async (b) => {
    await b.node();
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) ids.push((await b.enqueue({ lane: `lane-${i % 3}` })).id);
    const list = async (filter: Parameters<typeof b.store.list>[0]) =>
      (await b.store.list(filter)).map(({ id }) => id);
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
    await b.finish(await b.claimOne());
    const done = await list({ states: ['succeeded'], limit: 100 });
    expect(done).toHaveLength(1);
    const rest = ids.filter((id) => id !== done[0]);
    expect(await list({ states: ['queued', 'running'], limit: 100 })).toEqual(rest);
    expect(await list({ lane: 'none', limit: 100 })).toEqual([]);
    expect(await list({ states: [], limit: 100 })).toEqual([]);
  });

  rule(
    '[Q21] a purge removes what ended before the time, oldest first, and counts it',
    async (b) => {
      await b.node();
      const ids = await finishedRuns(b, 5);
      expect(await b.store.purge({ before: b.now - 3, limit: 100 })).toEqual({ runs: 2, lanes: 2 });
      expect(await b.store.get(ids[1] as string)).toBeNull();
      expect(await b.store.getLane(ids[1] as string)).toBeNull();
      expect(await b.store.listAfter(ids[1] as string, 0, 10)).toEqual([]);
      expect(await b.store.purge({ before: b.now + 1, limit: 2 })).toEqual({ runs: 2, lanes: 2 });
      expect((await b.store.list({ limit: 10 })).map(({ id }) => id)).toEqual([ids[4]]);
      expect(await b.counts()).toEqual({ succeeded: 1 });
    },
  );

  rule(
    '[Q21] a purge leaves what has not ended, and the log of the rest of its lane',
    async (b) => {
      await b.node();
      const ids = await b.enqueueMany(3, { lane: 'l' });
      await b.finish(await b.claimOne());
      await b.begin();
      b.advance(1);
      expect(await b.store.purge({ before: b.now, limit: 100 })).toEqual({ runs: 1, lanes: 0 });
      expect(await b.store.get(ids[0] as string)).toBeNull();
      expect(await b.eventTypes('l', ids[0] as string)).toEqual([]);
      const events = await b.store.listAfter('l', 0, 100);
      expect(events.map(({ runId }) => runId)).toEqual([ids[1], ids[2], ids[1], ids[1]]);
      expect(await b.lane('l')).toMatchObject({ state: 'running', queued: 1 });
      // Numbers go on where they were.
      await b.change({ do: 'note', lane: 'l', event: { type: 'session.status', payload: {} } });
      const last = (await b.store.listAfter('l', 0, 100)).at(-1);
      expect(last?.seq).toBe((events.at(-1)?.seq ?? 0) + 1);
    },
  );

  rule('[Q21] runs of a kept lane stay, until it is no longer kept', async (b) => {
    await b.node();
    await b.change({ do: 'configure', lane: 'l', settings: { kept: true } });
    const { id } = await b.enqueue({ lane: 'l' });
    await b.finish(await b.claimOne());
    const [other] = await finishedRuns(b, 1);
    b.advance(1);
    expect(await b.store.purge({ before: b.now, limit: 100 })).toEqual({ runs: 1, lanes: 1 });
    expect(await b.store.get(other as string)).toBeNull();
    expect((await b.run(id)).state).toBe('succeeded');
    expect((await b.eventTypes('l')).at(-1)).toBe('done');
    await b.change({ do: 'configure', lane: 'l', settings: { kept: false } });
    expect(await b.store.purge({ before: b.now, limit: 100 })).toEqual({ runs: 1, lanes: 1 });
    expect(await b.store.getLane('l')).toBeNull();
  });

  rule('[Q21] a lane that became kept late keeps what it has', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    await b.finish(await b.claimOne());
    await b.change({ do: 'configure', lane: 'l', settings: { kept: true } });
    b.advance(1);
    expect(await b.store.purge({ before: b.now, limit: 100 })).toEqual({ runs: 0, lanes: 0 });
    expect((await b.run(id)).state).toBe('succeeded');
  });

  rule('[Q21] a purged key is free again', async (b) => {
    await b.node();
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'one' };
    await b.enqueue(request);
    await b.finish(await b.claimOne());
    b.advance(1);
    await b.store.purge({ before: b.now, limit: 100 });
    expect(await b.enqueue({ ...request, bodyHash: 'two' })).toMatchObject({ known: false });
  });
}

function fail(): never {
  throw new Error('too few runs were claimed');
}

/** Runs that ended one millisecond after another. */
async function finishedRuns(b: Bench, count: number): Promise<string[]> {
  const ids = await b.enqueueMany(count);
  const claimed = await b.claim();
  for (const id of ids) {
    const one = claimed.find(({ run }) => run.id === id);
    await b.finish(one ?? fail());
    b.advance(1);
  }
  return ids;
}
