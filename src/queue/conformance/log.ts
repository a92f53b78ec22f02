import { expect } from 'vitest';
import { QUEUE_EVENTS } from '../../contract/event.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { READY } from '../hint.ts';
import { admission, failed, type Rule, SUCCEEDED } from './rig.ts';

/** Each lane's log. */
export function logRules(rule: Rule): void {
  rule('[E1] every lane has its own log, numbered from 1 without gaps', async (rig) => {
    await rig.node();
    await rig.enqueueMany(3, { lane: 'a' });
    await rig.enqueueMany(2, { lane: 'b' });
    for (let i = 0; i < 5; i++) {
      const claimed = await rig.begin();
      const events = [1, 2, 3].map((n) => eventOf('run.progress', { n }));
      await rig.write(claimed, { events });
      await rig.end(claimed);
    }
    for (const lane of ['a', 'b']) {
      const events = await rig.store.listAfter(lane, 0, 1000);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.every((event) => event.lane === lane)).toBe(true);
      expect((await rig.lane(lane)).nextSeq).toBe(events.length + 1);
    }
  });

  rule('[E1] concurrent writers leave no gaps and no duplicates', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    const claimed = await rig.begin();
    const event = (n: number) => eventOf('run.progress', n);
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => rig.write(claimed, { events: [event(n), event(n)] })),
      ...Array.from({ length: 10 }, (_, n) =>
        rig.change({ do: 'note', lane: 'l', event: eventOf('run.progress', n) }),
      ),
      ...Array.from({ length: 10 }, () => rig.enqueue({ lane: 'l' })),
    ]);
    const events = await rig.store.listAfter('l', 0, 1000);
    expect(events).toHaveLength(3 + 40 + 10 + 10);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  });

  rule('[E1] an event names its run, its attempt and its time', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    rig.advance(10);
    const claimed = await rig.begin();
    rig.advance(10);
    await rig.write(claimed, { events: [eventOf('run.progress', { done: 0.5 })] });
    expect((await rig.store.listAfter('l', 3, 10))[0]).toEqual({
      lane: 'l',
      seq: 4,
      runId: id,
      attempt: 1,
      type: 'run.progress',
      payload: { done: 0.5 },
      at: rig.now,
    });
    const [first] = await rig.store.listAfter('l', 0, 1);
    expect(first).toMatchObject({ runId: id, attempt: null, at: rig.now - 20 });
  });

  rule('[E1] the log is read in pages, of the lane or of one run', async (rig) => {
    await rig.node();
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    await rig.finish(await rig.claimOne(), failed('invalid_request'));
    await rig.finish(await rig.claimOne());
    const all = await rig.store.listAfter('l', 0, 1000);
    const pages = [];
    for (let after = 0; ; ) {
      const page = await rig.store.listAfter('l', after, 4);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(4);
      pages.push(...page);
      after = page.at(-1)?.seq ?? 0;
    }
    expect(pages).toEqual(all);
    for (const id of [first, second]) {
      const own = all.filter(({ runId }) => runId === id);
      expect(await rig.store.listAfter('l', 0, 1000, id)).toEqual(own);
      expect(await rig.store.listAfter('l', own[1]?.seq ?? 0, 2, id)).toEqual(own.slice(2, 4));
    }
    expect(await rig.store.listAfter('l', 1000, 10)).toEqual([]);
    expect(await rig.store.listAfter('l', 0, 10, 'none')).toEqual([]);
  });

  rule(
    '[E1] a run knows the seqs of its first event and of its last, which is done',
    async (rig) => {
      await rig.node();
      const ids = await rig.enqueueMany(2, { lane: 'l' });
      await rig.finish(await rig.claimOne(), failed('timeout'));
      rig.advance(1000);
      await rig.finish(await rig.claimOne());
      await rig.cancel(ids[1] as string);
      for (const id of ids) {
        const run = await rig.run(id);
        const events = await rig.store.listAfter('l', 0, 1000, id);
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

  rule('[E1] events written together with an end come before it', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    const claimed = await rig.claimOne();
    await rig.write(claimed, {
      start: true,
      events: [eventOf('run.progress', 1)],
      end: { outcome: SUCCEEDED, retryDelayMs: 0 },
    });
    expect(await rig.eventTypes('l')).toEqual([
      'run.queued',
      'run.dequeued',
      'run.start',
      'run.progress',
      'run.finished',
      'done',
    ]);
  });

  // Some stores write them in SQL, where the compiler does not check the fields.
  rule(
    '[E1] the events of the queue have the fields that the event table declares',
    async (rig) => {
      await rig.node('node-1');
      const error = { class: 'network_error', message: 'no' } as const;
      const ends: Outcome[] = [
        failed('network_error'),
        { kind: 'parked', until: rig.now + 1000, error },
        { kind: 'handed_back', reason: 'the worker stops' },
        { kind: 'left_waiting' },
        SUCCEEDED,
      ];
      const { id } = await rig.enqueue({ lane: 'l' });
      const [next] = await rig.enqueueMany(2, { lane: 'l' });
      await rig.change({ do: 'move', run: next!, before: null });
      await rig.change({ do: 'edit', run: next!, payload: '1' });
      await rig.store.enqueue([admission({ lane: 'l', runAt: rig.now + 1000 })]);
      for (const [n, outcome] of ends.entries()) {
        // Start and end in one write, or each in its own.
        if (n % 2 === 0) await rig.finish(await rig.claimOne(), outcome);
        else await rig.end(await rig.begin(), outcome);
        rig.advance(1000);
        if (outcome.kind === 'left_waiting') await rig.change({ do: 'answer', run: id });
      }
      const asking = await rig.begin();
      await rig.write(asking, { ask: true });
      await rig.change({ do: 'answer', run: asking.run.id });
      await rig.claim({ limit: 0 });
      await rig.store.takeOver(['node-1']);
      await rig.node('node-2');
      await rig.end(await rig.begin({ nodeId: 'node-2' }), failed('network_error'));
      await rig.change({ do: 'hold', lane: 'l' });
      await rig.change({ do: 'resume', lane: 'l' });
      await rig.cancel(asking.run.id);
      const events = await rig.store.listAfter('l', 0, 1000);
      expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(
        Object.keys(QUEUE_EVENTS).sort(),
      );
      for (const { type, payload } of events) {
        const schema = QUEUE_EVENTS[type as keyof typeof QUEUE_EVENTS];
        expect(schema.strict().safeParse(payload), type).toMatchObject({ success: true });
      }
    },
  );

  rule('[E1] a note needs no run, and creates its lane', async (rig) => {
    const note = eventOf('session.created', { name: 'x' });
    await rig.change({ do: 'note', lane: 'fresh', event: note });
    expect(await rig.store.listAfter('fresh', 0, 10)).toEqual([
      { lane: 'fresh', seq: 1, runId: null, attempt: null, ...note, at: rig.now },
    ]);
    const { id } = await rig.enqueue({ lane: 'fresh' });
    expect((await rig.run(id)).firstSeq).toBe(2);
  });

  rule('[E1] followers of a lane get a hint when it grows', async (rig) => {
    const hint = rig.hint(({ lanes, topics }) => lanes.includes('l') && topics.includes(READY));
    await rig.enqueue({ lane: 'l' });
    await hint;
    const second = rig.hint(({ lanes }) => lanes.includes('l'));
    await rig.change({ do: 'note', lane: 'l', event: eventOf('run.progress', {}) });
    await second;
  });
}
