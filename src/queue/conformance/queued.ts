import { expect } from 'vitest';
import { READY } from '../hint.ts';
import { failed, type Rig, type Rule, refused } from './rig.ts';

/** Commands on queued runs, and held lanes. */
export function queuedRules(rule: Rule): void {
  rule('[Q12] queued runs are listed in the order they will start', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(4, { lane: 'l' });
    expect(await rig.queued('l')).toEqual(ids);
    expect((await rig.store.listQueued('l', 2)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const after = async (id: string, limit = 9) =>
      (await rig.store.listQueued('l', limit, id)).map((run) => run.id);
    expect(await after(ids[1]!)).toEqual(ids.slice(2));
    expect(await after(ids[0]!, 2)).toEqual(ids.slice(1, 3));
    expect(await after(ids[3]!)).toEqual([]);
    await rig.claimOne();
    expect(await rig.queued('l')).toEqual(ids.slice(1));
    // A run that has started, is in another lane or is unknown counts as before all queued runs.
    const other = await rig.enqueue({ lane: 'other' });
    for (const id of [ids[0]!, other.id, 'none']) expect(await after(id)).toEqual(ids.slice(1));
  });

  rule('[Q12] a queued run can be edited, and starts with the new payload', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l', payload: 'old' });
    rig.advance(5);
    const run = await rig.change({ do: 'edit', run: id, payload: '{"text":"new"}' });
    expect(run).toMatchObject({ payload: { text: 'new' }, updatedAt: rig.now });
    expect((await rig.claimOne()).run.payload).toEqual({ text: 'new' });
    const events = await rig.store.listAfter('l', 0, 10);
    expect(events[1]).toMatchObject({ type: 'run.queued', payload: { change: 'edited' } });
  });

  rule('[Q12] queued runs can be moved into any order', async (rig) => {
    const [a, c, d, e] = (await rig.enqueueMany(4, { lane: 'l' })) as [
      string,
      string,
      string,
      string,
    ];
    const move = (run: string, before: string | null) => rig.change({ do: 'move', run, before });
    await move(e, c);
    expect(await rig.queued('l')).toEqual([a, e, c, d]);
    await move(a, null);
    expect(await rig.queued('l')).toEqual([e, c, d, a]);
    await move(d, e);
    expect(await rig.queued('l')).toEqual([d, e, c, a]);
    await move(e, c);
    expect(await rig.queued('l')).toEqual([d, e, c, a]);
    await move(c, c);
    expect(await rig.queued('l')).toEqual([d, e, c, a]);
  });

  rule('[Q12] runs can be moved even if there is no room between two positions', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(6, { lane: 'l' });
    const expected = [...ids];
    for (let i = 0; i < 60; i++) {
      const run = expected.splice(4, 1)[0] as string;
      const before = expected[2] as string;
      expected.splice(2, 0, run);
      await rig.change({ do: 'move', run, before });
      if (i % 10 === 0) expect(await rig.queued('l')).toEqual(expected);
    }
    expect(await rig.queued('l')).toEqual(expected);
    const last = await rig.enqueue({ lane: 'l' });
    expect(await rig.queued('l')).toEqual([...expected, last.id]);
    expect((await rig.claimOne()).run.id).toBe(expected[0]);
  });

  rule('[Q12] a moved run changes which type the lane waits for', async (rig) => {
    await rig.node('node-1', { types: ['task', 'mail'] });
    const first = await rig.enqueue({ lane: 'l' });
    const mail = await rig.enqueue({ lane: 'l', type: 'mail' });
    await rig.change({ do: 'move', run: mail.id, before: first.id });
    expect(await rig.lane('l')).toMatchObject({ headType: 'mail' });
    expect(await rig.claim({ types: ['task'] })).toEqual([]);
    expect(await rig.claimIds({ types: ['mail'] })).toEqual([mail.id]);
  });

  rule('[Q12] a run is moved only among the queued runs of its lane', async (rig) => {
    await rig.node();
    const [running, queued] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const other = await rig.enqueue({ lane: 'other' });
    const later = await rig.enqueue({ lane: 'l', delayMs: 1000 });
    await rig.begin({ limit: 1 });
    const first = (await rig.run(running)).state === 'running';
    expect(first).toBe(true);
    for (const before of [running, other.id, later.id, 'none']) {
      const move = rig.change({ do: 'move', run: queued, before });
      await expect(move, before).rejects.toEqual(refused('invalid_request'));
    }
    for (const run of [running, later.id]) {
      const move = rig.change({ do: 'move', run, before: queued });
      await expect(move).rejects.toEqual(refused('run_not_queued'));
    }
    expect(await rig.queued('l')).toEqual([queued]);
  });

  rule('[Q12] moving a run that has begun is refused, whatever the target', async (rig) => {
    await rig.node();
    const [running] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    await rig.begin();
    for (const before of [null, running, 'none']) {
      const move = rig.change({ do: 'move', run: running, before });
      await expect(move).rejects.toEqual(refused('run_not_queued'));
    }
  });

  rule('[Q12] a queued run can be removed', async (rig) => {
    await rig.node();
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const key = await rig.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'one' });
    expect(await rig.change({ do: 'remove', run: key.id })).toMatchObject({ id: key.id });
    expect(await rig.store.get(key.id)).toBeNull();
    await rig.change({ do: 'remove', run: first });
    expect(await rig.queued('l')).toEqual([second]);
    expect(await rig.counts()).toEqual({ queued: 1 });
    // The key can be used again.
    const again = await rig.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'two' });
    expect(again).toMatchObject({ known: false, position: 1 });
    expect(await rig.claimIds()).toEqual([second]);
  });

  rule('[Q12] removing a run with its own lane leaves nothing behind', async (rig) => {
    const { id } = await rig.enqueue();
    await rig.change({ do: 'remove', run: id });
    expect(await rig.store.getLane(id)).toBeNull();
    expect(await rig.store.listAfter(id, 0, 10)).toEqual([]);
    expect(await rig.store.unhandledTypes()).toEqual([]);
  });

  rule('[Q12] a run that has begun cannot be edited, moved or removed', async (rig) => {
    await rig.node();
    const [id] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const refuse = async () => {
      const before = [await rig.run(id), await rig.eventTypes('l')];
      const calls = [
        () => rig.change({ do: 'edit', run: id, payload: '1' }),
        () => rig.change({ do: 'move', run: id, before: null }),
        () => rig.change({ do: 'remove', run: id }),
      ];
      for (const call of calls) await expect(call()).rejects.toEqual(refused('run_not_queued'));
      expect([await rig.run(id), await rig.eventTypes('l')]).toEqual(before);
    };
    const claimed = await rig.claimOne();
    await refuse();
    await rig.write(claimed, { start: true });
    await refuse();
    await rig.end(claimed, { kind: 'handed_back', reason: 'stop' });
    await refuse();
    await rig.finish(await rig.claimOne(), failed('timeout'));
    await refuse();
  });

  rule('[Q12] a run that is not due yet can be edited and removed', async (rig) => {
    const { id } = await rig.enqueue({ lane: 'l', delayMs: 1000 });
    await rig.change({ do: 'edit', run: id, payload: '2' });
    expect((await rig.run(id)).payload).toBe(2);
    await rig.change({ do: 'remove', run: id });
    expect(await rig.store.get(id)).toBeNull();
    expect(await rig.counts()).toEqual({});
  });

  const ends = [
    [
      'failed',
      async (rig: Rig) => void (await rig.finish(await rig.claimOne(), failed('invalid_request'))),
    ],
    ['was stopped by a user', stopFirst],
    ['died', async (rig: Rig) => void (await rig.finish(await rig.claimOne(), failed('timeout')))],
  ] as const;
  for (const [name, endFirst] of ends) {
    rule(`[Q12] a lane whose run ${name} is held, and no queued run is lost`, async (rig) => {
      await rig.node();
      await configure(rig, true);
      const ids = await rig.enqueueMany(3, { lane: 'l', maxAttempts: 1 });
      await endFirst(rig);
      expect(await rig.lane('l')).toMatchObject({ held: true, queued: 2 });
      expect((await rig.eventTypes('l')).at(-1)).toBe('session.held');
      expect(await rig.claim()).toEqual([]);
      expect(await rig.queued('l')).toEqual(ids.slice(1));
      await rig.change({ do: 'resume', lane: 'l' });
      expect(await rig.claimIds()).toEqual([ids[1]]);
    });

    rule(`[Q12] a lane whose run ${name} continues without holdOnFailure`, async (rig) => {
      await rig.node();
      await configure(rig, false);
      const ids = await rig.enqueueMany(2, { lane: 'l', maxAttempts: 1 });
      await endFirst(rig);
      expect(await rig.lane('l')).toMatchObject({ held: false });
      expect(await rig.claimIds()).toEqual([ids[1]]);
    });

    rule(`[Q12] a lane whose run ${name} is not held if nothing is queued`, async (rig) => {
      await rig.node();
      await configure(rig, true);
      await rig.enqueue({ lane: 'l', maxAttempts: 1 });
      await endFirst(rig);
      expect(await rig.lane('l')).toMatchObject({ held: false, state: 'idle' });
    });
  }

  rule('[Q12] success, a retry and an interrupt do not hold a lane', async (rig) => {
    await rig.node();
    await configure(rig, true);
    await rig.enqueueMany(4, { lane: 'l' });
    await rig.finish(await rig.claimOne());
    expect(await rig.lane('l')).toMatchObject({ held: false });
    await rig.finish(await rig.claimOne(), failed('timeout'));
    expect(await rig.lane('l')).toMatchObject({ held: false });
    rig.advance(1000);
    const claimed = await rig.begin();
    await rig.cancel(claimed.run.id, 'interrupt');
    await rig.end(claimed, { kind: 'cancelled' });
    expect(await rig.lane('l')).toMatchObject({ held: false, queued: 2 });
  });

  rule('[Q12] cancelling a queued run does not hold the lane', async (rig) => {
    await configure(rig, true);
    const ids = await rig.enqueueMany(3, { lane: 'l' });
    await rig.cancel(ids[0] as string);
    expect(await rig.lane('l')).toMatchObject({ held: false, queued: 2 });
  });

  rule('[Q12] in a held lane the current run continues and queued runs wait', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(3, { lane: 'l' });
    const running = await rig.begin();
    await rig.change({ do: 'hold', lane: 'l' });
    await rig.change({ do: 'hold', lane: 'l' });
    expect(await rig.end(running)).toBe(true);
    const more = await rig.enqueue({ lane: 'l' });
    expect(await rig.claim()).toEqual([]);
    const hint = rig.hintOf(READY);
    await rig.change({ do: 'resume', lane: 'l' });
    await rig.change({ do: 'resume', lane: 'l' });
    await hint;
    expect(await rig.queued('l')).toEqual([ids[1], ids[2], more.id]);
    expect(await rig.claimIds()).toEqual([ids[1]]);
    const types = await rig.eventTypes('l');
    expect(types.filter((type) => type.startsWith('session.'))).toEqual([
      'session.held',
      'session.resumed',
    ]);
  });

  rule('[Q12] a held lane starts no retry', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.finish(await rig.claimOne(), failed('timeout'));
    await rig.change({ do: 'hold', lane: 'l' });
    rig.advance(1000);
    expect(await rig.claim()).toEqual([]);
    await rig.change({ do: 'resume', lane: 'l' });
    expect(await rig.claimIds()).toEqual([id]);
  });
}

const configure = (rig: Rig, holdOnFailure: boolean) =>
  rig.change({ do: 'configure', lane: 'l', settings: { holdOnFailure } });

async function stopFirst(rig: Rig): Promise<void> {
  const claimed = await rig.begin();
  await rig.cancel(claimed.run.id);
  await rig.end(claimed, { kind: 'cancelled' });
}
