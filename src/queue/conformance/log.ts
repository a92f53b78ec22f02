import { expect } from 'vitest';
import { failed, type Rule, SUCCEEDED } from './rig.ts';

/** Each lane's log. */
export function logRules(rule: Rule): void {
  rule('[E1] every lane has its own log, numbered from 1 without gaps', async (b) => {
    await b.node();
    await b.enqueueMany(3, { lane: 'a' });
    await b.enqueueMany(2, { lane: 'b' });
    for (let i = 0; i < 5; i++) {
      const claimed = await b.begin();
      const events = [1, 2, 3].map((n) => ({ type: 'run.progress', payload: { n } }));
      await b.write(claimed, { events });
      await b.end(claimed);
    }
    for (const lane of ['a', 'b']) {
      const events = await b.store.listAfter(lane, 0, 1000);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.every((event) => event.lane === lane)).toBe(true);
      expect((await b.lane(lane)).nextSeq).toBe(events.length + 1);
    }
  });

  rule('[E1] writers that meet leave no gap and no double', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    const claimed = await b.begin();
    const event = (n: number) => ({ type: 'run.progress', payload: n });
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => b.write(claimed, { events: [event(n), event(n)] })),
      ...Array.from({ length: 10 }, (_, n) =>
        b.change({ do: 'note', lane: 'l', event: { type: 'session.status', payload: n } }),
      ),
      ...Array.from({ length: 10 }, () => b.enqueue({ lane: 'l' })),
    ]);
    const events = await b.store.listAfter('l', 0, 1000);
    expect(events).toHaveLength(3 + 40 + 10 + 10);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  });

  rule('[E1] an event names its run, its attempt and its time', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    b.advance(10);
    const claimed = await b.begin();
    b.advance(10);
    await b.write(claimed, { events: [{ type: 'run.progress', payload: { done: 0.5 } }] });
    expect((await b.store.listAfter('l', 3, 10))[0]).toEqual({
      lane: 'l',
      seq: 4,
      runId: id,
      attempt: 1,
      type: 'run.progress',
      payload: { done: 0.5 },
      at: b.now,
    });
    const [first] = await b.store.listAfter('l', 0, 1);
    expect(first).toMatchObject({ runId: id, attempt: null, at: b.now - 20 });
  });

  rule('[E1] the log is read in pages, whole or of one run', async (b) => {
    await b.node();
    const [first, second] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    await b.finish(await b.claimOne(), failed('invalid_request'));
    await b.finish(await b.claimOne());
    const all = await b.store.listAfter('l', 0, 1000);
    const pages = [];
    for (let after = 0; ; ) {
      const page = await b.store.listAfter('l', after, 4);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(4);
      pages.push(...page);
      after = page.at(-1)?.seq ?? 0;
    }
    expect(pages).toEqual(all);
    for (const id of [first, second]) {
      const own = all.filter(({ runId }) => runId === id);
      expect(await b.store.listAfter('l', 0, 1000, id)).toEqual(own);
      expect(await b.store.listAfter('l', own[1]?.seq ?? 0, 2, id)).toEqual(own.slice(2, 4));
    }
    expect(await b.store.listAfter('l', 1000, 10)).toEqual([]);
    expect(await b.store.listAfter('l', 0, 10, 'none')).toEqual([]);
  });

  rule(
    '[E1] a run knows the place of its first event and of its last, which is done',
    async (b) => {
      await b.node();
      const ids = await b.enqueueMany(2, { lane: 'l' });
      await b.finish(await b.claimOne(), failed('timeout'));
      b.advance(1000);
      await b.finish(await b.claimOne());
      await b.cancel(ids[1] as string);
      for (const id of ids) {
        const run = await b.run(id);
        const events = await b.store.listAfter('l', 0, 1000, id);
        expect(events[0]).toMatchObject({ seq: run.firstSeq, type: 'run.queued' });
        expect(events.at(-1)).toMatchObject({
          seq: run.lastSeq,
          type: 'done',
          payload: { state: run.state },
        });
        expect(events.filter(({ type }) => type === 'done')).toHaveLength(1);
      }
    },
  );

  rule('[E1] events come before the end that is written with them', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    const claimed = await b.claimOne();
    await b.write(claimed, {
      start: true,
      events: [{ type: 'run.progress', payload: 1 }],
      end: { outcome: SUCCEEDED, retryDelayMs: 0 },
    });
    expect(await b.eventTypes('l')).toEqual([
      'run.queued',
      'run.dequeued',
      'run.start',
      'run.progress',
      'run.finished',
      'done',
    ]);
  });

  rule('[E1] a note needs no run, and makes its lane', async (b) => {
    const note = { type: 'session.created', payload: { name: 'x' } };
    await b.change({ do: 'note', lane: 'fresh', event: note });
    expect(await b.store.listAfter('fresh', 0, 10)).toEqual([
      { lane: 'fresh', seq: 1, runId: null, attempt: null, ...note, at: b.now },
    ]);
    const { id } = await b.enqueue({ lane: 'fresh' });
    expect((await b.run(id)).firstSeq).toBe(2);
  });

  rule('[E1] whoever follows a lane gets a hint of what was added', async (b) => {
    const hint = b.hint(({ lanes, ready }) => lanes.includes('l') && ready);
    await b.enqueue({ lane: 'l' });
    await hint;
    const second = b.hint(({ lanes }) => lanes.includes('l'));
    await b.change({ do: 'note', lane: 'l', event: { type: 'session.status', payload: {} } });
    await second;
  });
}
