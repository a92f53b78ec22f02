import { expect } from 'vitest';
import { type Bench, failed, type Rule, refused } from './rig.ts';

/** Queued runs in the hands of a person, and lanes that are held. */
export function queuedRules(rule: Rule): void {
  rule('[Q12] queued runs are listed in the order they will start', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(4, { lane: 'l' });
    expect(await b.queued('l')).toEqual(ids);
    expect((await b.store.listQueued('l', 2)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const after = async (id: string, limit = 9) =>
      (await b.store.listQueued('l', limit, id)).map((run) => run.id);
    expect(await after(ids[1]!)).toEqual(ids.slice(2));
    expect(await after(ids[0]!, 2)).toEqual(ids.slice(1, 3));
    expect(await after(ids[3]!)).toEqual([]);
    await b.claimOne();
    expect(await b.queued('l')).toEqual(ids.slice(1));
    // What has started, is elsewhere or is unknown stands before all that is queued.
    const other = await b.enqueue({ lane: 'other' });
    for (const id of [ids[0]!, other.id, 'none']) expect(await after(id)).toEqual(ids.slice(1));
  });

  rule('[Q12] a queued run can be edited, and starts with the new payload', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l', payload: 'old' });
    b.advance(5);
    const run = await b.change({ do: 'edit', run: id, payload: '{"text":"new"}' });
    expect(run).toMatchObject({ payload: { text: 'new' }, updatedAt: b.now });
    expect((await b.claimOne()).run.payload).toEqual({ text: 'new' });
    const events = await b.store.listAfter('l', 0, 10);
    expect(events[1]).toMatchObject({ type: 'run.queued', payload: { change: 'edited' } });
  });

  rule('[Q12] queued runs can be put in any order', async (b) => {
    const [a, c, d, e] = (await b.enqueueMany(4, { lane: 'l' })) as [
      string,
      string,
      string,
      string,
    ];
    const move = (run: string, before: string | null) => b.change({ do: 'move', run, before });
    await move(e, c);
    expect(await b.queued('l')).toEqual([a, e, c, d]);
    await move(a, null);
    expect(await b.queued('l')).toEqual([e, c, d, a]);
    await move(d, e);
    expect(await b.queued('l')).toEqual([d, e, c, a]);
    await move(e, c);
    expect(await b.queued('l')).toEqual([d, e, c, a]);
    await move(c, c);
    expect(await b.queued('l')).toEqual([d, e, c, a]);
  });

  rule('[Q12] moving goes on when there is no room between two runs', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(6, { lane: 'l' });
    const expected = [...ids];
    for (let i = 0; i < 60; i++) {
      const run = expected.splice(4, 1)[0] as string;
      const before = expected[2] as string;
      expected.splice(2, 0, run);
      await b.change({ do: 'move', run, before });
      if (i % 10 === 0) expect(await b.queued('l')).toEqual(expected);
    }
    expect(await b.queued('l')).toEqual(expected);
    const last = await b.enqueue({ lane: 'l' });
    expect(await b.queued('l')).toEqual([...expected, last.id]);
    expect((await b.claimOne()).run.id).toBe(expected[0]);
  });

  rule('[Q12] a moved run changes which type the lane waits for', async (b) => {
    await b.node('node-1', { types: ['task', 'mail'] });
    const first = await b.enqueue({ lane: 'l' });
    const mail = await b.enqueue({ lane: 'l', type: 'mail' });
    await b.change({ do: 'move', run: mail.id, before: first.id });
    expect(await b.lane('l')).toMatchObject({ headType: 'mail' });
    expect(await b.claim({ types: ['task'] })).toEqual([]);
    expect(await b.claimIds({ types: ['mail'] })).toEqual([mail.id]);
  });

  rule('[Q12] a run is moved only among the queued runs of its lane', async (b) => {
    await b.node();
    const [running, queued] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const other = await b.enqueue({ lane: 'other' });
    const later = await b.enqueue({ lane: 'l', delayMs: 1000 });
    await b.begin({ limit: 1 });
    const first = (await b.run(running)).state === 'running';
    expect(first).toBe(true);
    for (const before of [running, other.id, later.id, 'none']) {
      const move = b.change({ do: 'move', run: queued, before });
      await expect(move, before).rejects.toEqual(refused('invalid_request'));
    }
    for (const run of [running, later.id]) {
      const move = b.change({ do: 'move', run, before: queued });
      await expect(move).rejects.toEqual(refused('run_not_queued'));
    }
    expect(await b.queued('l')).toEqual([queued]);
  });

  rule('[Q12] a run that cannot move is refused for that, wherever it should go', async (b) => {
    await b.node();
    const [running] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    await b.begin();
    for (const before of [null, running, 'none']) {
      const move = b.change({ do: 'move', run: running, before });
      await expect(move).rejects.toEqual(refused('run_not_queued'));
    }
  });

  rule('[Q12] a queued run can be removed for good', async (b) => {
    await b.node();
    const [first, second] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const key = await b.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'one' });
    expect(await b.change({ do: 'remove', run: key.id })).toMatchObject({ id: key.id });
    expect(await b.store.get(key.id)).toBeNull();
    await b.change({ do: 'remove', run: first });
    expect(await b.queued('l')).toEqual([second]);
    expect(await b.counts()).toEqual({ queued: 1 });
    // Its key is free again.
    const again = await b.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'two' });
    expect(again).toMatchObject({ known: false, position: 1 });
    expect(await b.claimIds()).toEqual([second]);
  });

  rule('[Q12] a removed run that had a lane of its own leaves nothing behind', async (b) => {
    const { id } = await b.enqueue();
    await b.change({ do: 'remove', run: id });
    expect(await b.store.getLane(id)).toBeNull();
    expect(await b.store.listAfter(id, 0, 10)).toEqual([]);
    expect(await b.store.unhandledTypes()).toEqual([]);
  });

  rule('[Q12] a run that has begun can be neither edited, moved nor removed', async (b) => {
    await b.node();
    const [id] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const refuse = async () => {
      const before = [await b.run(id), await b.eventTypes('l')];
      const calls = [
        () => b.change({ do: 'edit', run: id, payload: '1' }),
        () => b.change({ do: 'move', run: id, before: null }),
        () => b.change({ do: 'remove', run: id }),
      ];
      for (const call of calls) await expect(call()).rejects.toEqual(refused('run_not_queued'));
      expect([await b.run(id), await b.eventTypes('l')]).toEqual(before);
    };
    const claimed = await b.claimOne();
    await refuse();
    await b.write(claimed, { start: true });
    await refuse();
    await b.end(claimed, { kind: 'handed_back', reason: 'stop' });
    await refuse();
    await b.finish(await b.claimOne(), failed('timeout'));
    await refuse();
  });

  rule('[Q12] a run before its time can be edited and removed', async (b) => {
    const { id } = await b.enqueue({ lane: 'l', delayMs: 1000 });
    await b.change({ do: 'edit', run: id, payload: '2' });
    expect((await b.run(id)).payload).toBe(2);
    await b.change({ do: 'remove', run: id });
    expect(await b.store.get(id)).toBeNull();
    expect(await b.counts()).toEqual({});
  });

  const ends = [
    [
      'failed',
      async (b: Bench) => void (await b.finish(await b.claimOne(), failed('invalid_request'))),
    ],
    ['was stopped by a person', stopFirst],
    ['died', async (b: Bench) => void (await b.finish(await b.claimOne(), failed('timeout')))],
  ] as const;
  for (const [name, endFirst] of ends) {
    rule(`[Q12] a lane whose run ${name} is held, and nothing queued is lost`, async (b) => {
      await b.node();
      await configure(b, true);
      const ids = await b.enqueueMany(3, { lane: 'l', maxAttempts: 1 });
      await endFirst(b);
      expect(await b.lane('l')).toMatchObject({ held: true, queued: 2 });
      expect((await b.eventTypes('l')).at(-1)).toBe('session.held');
      expect(await b.claim()).toEqual([]);
      expect(await b.queued('l')).toEqual(ids.slice(1));
      await b.change({ do: 'resume', lane: 'l' });
      expect(await b.claimIds()).toEqual([ids[1]]);
    });

    rule(`[Q12] a lane whose run ${name} goes on if it was not told to hold`, async (b) => {
      await b.node();
      await configure(b, false);
      const ids = await b.enqueueMany(2, { lane: 'l', maxAttempts: 1 });
      await endFirst(b);
      expect(await b.lane('l')).toMatchObject({ held: false });
      expect(await b.claimIds()).toEqual([ids[1]]);
    });

    rule(`[Q12] a lane whose run ${name} is not held if nothing is queued`, async (b) => {
      await b.node();
      await configure(b, true);
      await b.enqueue({ lane: 'l', maxAttempts: 1 });
      await endFirst(b);
      expect(await b.lane('l')).toMatchObject({ held: false, state: 'idle' });
    });
  }

  rule('[Q12] success, a retry and an interrupt do not hold a lane', async (b) => {
    await b.node();
    await configure(b, true);
    await b.enqueueMany(4, { lane: 'l' });
    await b.finish(await b.claimOne());
    expect(await b.lane('l')).toMatchObject({ held: false });
    await b.finish(await b.claimOne(), failed('timeout'));
    expect(await b.lane('l')).toMatchObject({ held: false });
    b.advance(1000);
    const claimed = await b.begin();
    await b.cancel(claimed.run.id, 'interrupt');
    await b.end(claimed, { kind: 'cancelled' });
    expect(await b.lane('l')).toMatchObject({ held: false, queued: 2 });
  });

  rule('[Q12] cancelling a queued run does not hold the lane', async (b) => {
    await configure(b, true);
    const ids = await b.enqueueMany(3, { lane: 'l' });
    await b.cancel(ids[0] as string);
    expect(await b.lane('l')).toMatchObject({ held: false, queued: 2 });
  });

  rule('[Q12] a person may hold a lane; what runs goes on, what is queued waits', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(3, { lane: 'l' });
    const running = await b.begin();
    await b.change({ do: 'hold', lane: 'l' });
    await b.change({ do: 'hold', lane: 'l' });
    expect(await b.end(running)).toBe(true);
    const more = await b.enqueue({ lane: 'l' });
    expect(await b.claim()).toEqual([]);
    const hint = b.hint(({ ready }) => ready);
    await b.change({ do: 'resume', lane: 'l' });
    await b.change({ do: 'resume', lane: 'l' });
    await hint;
    expect(await b.queued('l')).toEqual([ids[1], ids[2], more.id]);
    expect(await b.claimIds()).toEqual([ids[1]]);
    const types = await b.eventTypes('l');
    expect(types.filter((type) => type.startsWith('session.'))).toEqual([
      'session.held',
      'session.resumed',
    ]);
  });

  rule('[Q12] a held lane starts no retry either', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    await b.finish(await b.claimOne(), failed('timeout'));
    await b.change({ do: 'hold', lane: 'l' });
    b.advance(1000);
    expect(await b.claim()).toEqual([]);
    await b.change({ do: 'resume', lane: 'l' });
    expect(await b.claimIds()).toEqual([id]);
  });
}

const configure = (b: Bench, holdOnFailure: boolean) =>
  b.change({ do: 'configure', lane: 'l', settings: { holdOnFailure } });

async function stopFirst(b: Bench): Promise<void> {
  const claimed = await b.begin();
  await b.cancel(claimed.run.id);
  await b.end(claimed, { kind: 'cancelled' });
}
