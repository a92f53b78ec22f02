import { expect } from 'vitest';
import { deaf, range, read, readAll, seqs } from '../../../test/support/tails.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { RunQueue } from '../run-queue.ts';
import { type Rig, type Rule, SUCCEEDED } from './rig.ts';

const note = (rig: Rig, lane: string, n: number): Promise<unknown> =>
  rig.change({ do: 'note', lane, event: eventOf('run.progress', n) });

async function notes(rig: Rig, lane: string, from: number, to: number): Promise<void> {
  for (const n of range(from, to)) await note(rig, lane, n);
}

/** Following a lane's log. */
export function followRules(rule: Rule): void {
  rule('[E1] lastSeqs returns the last seq of each existing lane', async (rig) => {
    await notes(rig, 'a', 1, 3);
    await notes(rig, 'b', 1, 1);
    expect(await rig.store.lastSeqs(['b', 'none', 'a'])).toEqual(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    );
    expect(await rig.store.lastSeqs([])).toEqual(new Map());
  });

  rule('[E1] listAfterEach reads several logs, each from its own cursor', async (rig) => {
    await notes(rig, 'a', 1, 5);
    await notes(rig, 'b', 1, 5);
    const events = await rig.store.listAfterEach([
      { lane: 'b', after: 3, limit: 10 },
      { lane: 'none', after: 0, limit: 10 },
      { lane: 'a', after: 1, limit: 2 },
    ]);
    expect(events.map(({ lane, seq }) => `${lane}${seq}`)).toEqual(['b4', 'b5', 'a2', 'a3']);
    expect(events.slice(0, 2)).toEqual(await rig.store.listAfter('b', 3, 10));
    expect(await rig.store.listAfterEach([])).toEqual([]);
  });

  for (const hints of ['with hints', 'by polls alone']) {
    rule(
      `[E1] [E3] with many writers, every tail gets each event once and in order, ${hints}`,
      async (rig) => {
        const store = hints === 'with hints' ? rig.store : deaf(rig.store);
        const queue = new RunQueue(store, { follow: { pollMs: 10 } });
        const lanes = ['a', 'b', 'c'];
        const perLane = 60;
        const write = (lane: string) =>
          Promise.all(range(1, 6).map(() => notes(rig, lane, 1, perLane / 6)));
        const reading: Promise<void>[] = [];
        const follow = (lane: string, after: number): void => {
          const tail = queue.tail(lane, { after });
          const all = read(tail, perLane - after);
          reading.push(
            all.then((events) => expect(seqs(events)).toEqual(range(after + 1, perLane))),
          );
        };
        for (const lane of lanes) follow(lane, 0);
        const writing = Promise.all(lanes.map(write));
        // Tails opened during the writes, each from a different cursor.
        for (const after of [0, 1, 7, 20]) {
          await Promise.race([writing, read(queue.tail('a', { after }), 1)]);
          for (const lane of lanes) follow(lane, after);
        }
        await writing;
        for (const lane of lanes) follow(lane, perLane - 1);
        await Promise.all(reading);
        await queue.close();
      },
    );
  }

  rule('[E2] a tail waits for a lane or a seq that does not exist yet', async (rig) => {
    const queue = new RunQueue(rig.store);
    const early = queue.tail('later');
    const future = queue.tail('later', { after: 5 });
    const first = read(early, 7);
    const second = read(future, 2);
    await notes(rig, 'later', 1, 7);
    expect(seqs(await first)).toEqual(range(1, 7));
    expect(seqs(await second)).toEqual([6, 7]);
  });

  rule('[E2] the tail of a run gets only its events and ends with done', async (rig) => {
    const queue = new RunQueue(rig.store);
    await rig.node();
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const tails = [first, second].map((runId) => queue.tail('l', { runId }));
    const all = Promise.all(tails.map(readAll));
    const late: ReturnType<typeof readAll>[] = [];
    for (const runId of [first, second]) {
      const claimed = await rig.begin();
      late.push(readAll(queue.tail('l', { runId })));
      const events = range(1, 40).map((n) => eventOf('run.progress', n));
      await rig.write(claimed, { events });
      await rig.end(claimed, SUCCEEDED);
    }
    const stored = [first, second].map((runId) => rig.store.listAfter('l', 0, 1000, runId));
    expect(await all).toEqual(await Promise.all(stored));
    expect(await Promise.all(late)).toEqual(await Promise.all(stored));
    expect(tails[0]?.end).toMatchObject({ reason: 'done', dropped: false });
    const { lastSeq } = await rig.run(first);
    expect(tails[0]?.end?.after).toBe(lastSeq);
    // A client that has seen `done` and reconnects learns immediately that there is no more.
    const again = queue.tail('l', { runId: first, after: lastSeq as number });
    expect(await readAll(again)).toEqual([]);
    expect(again.end).toEqual({ reason: 'done', dropped: false, after: lastSeq });
    const unknown = queue.tail('l', { runId: 'none' });
    expect(await readAll(unknown)).toEqual([]);
    expect(unknown.end?.reason).toBe('gone');
  });

  rule('[E3] purged events are skipped, and only those', async (rig) => {
    const queue = new RunQueue(rig.store, { follow: { pollMs: 10 } });
    await rig.node();
    await note(rig, 'l', 1);
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.finish(await rig.claimOne());
    await note(rig, 'l', 2);
    const rest = await rig.enqueue({ lane: 'l' });
    const live = queue.tail('l', { after: 1 });
    expect(seqs(await read(live, 2))).toEqual([2, 3]);
    rig.advance(10);
    expect((await rig.store.purge({ before: rig.now, limit: 10 })).runs).toBe(1);
    // This tail received the events before they were purged; a new one does not.
    const late = queue.tail('l');
    const left = (await rig.store.listAfter('l', 0, 100)).map(({ seq }) => seq);
    expect(left).toEqual([1, 7, 8]);
    expect(seqs(await read(late, 3))).toEqual(left);
    const run = queue.tail('l', { runId: id });
    expect(await readAll(run)).toEqual([]);
    expect(run.end?.reason).toBe('gone');
    await rig.cancel(rest.id);
    expect(seqs(await read(late, 2))).toEqual([9, 10]);
    expect(seqs(await read(live, 7))).toEqual(range(4, 10));
  });

  rule('[E3] removing a lane ends its tails', async (rig) => {
    const queue = new RunQueue(rig.store, { follow: { pollMs: 10 } });
    await rig.node();
    const { id, lane } = await rig.enqueue();
    const tail = queue.tail(lane);
    const other = queue.tail('other');
    expect(seqs(await read(tail, 1))).toEqual([1]);
    await rig.finish(await rig.claimOne());
    expect(seqs(await read(tail, 4))).toEqual(range(2, 5));
    rig.advance(10);
    expect(await rig.store.purge({ before: rig.now, limit: 10 })).toEqual({ runs: 1, lanes: 1 });
    expect(await readAll(tail)).toEqual([]);
    expect(tail.end).toEqual({ reason: 'gone', dropped: false, after: 5 });
    expect(other.end).toBeNull();
    expect(id).toBe(lane);
  });

  rule('[E9] the hint feed names lanes that grew and how far, without replay', async (rig) => {
    const queue = new RunQueue(rig.store);
    await notes(rig, 'before', 1, 2);
    const hints = queue.hints();
    const first = hints.next();
    await note(rig, 'a', 1);
    expect((await first).value).toEqual({ lane: 'a', lastSeq: 1 });
    await notes(rig, 'a', 2, 5);
    await note(rig, 'b', 1);
    const seen = new Map<string, number>();
    while (seen.get('a') !== 5 || seen.get('b') !== 1) {
      const { value } = await hints.next();
      if (value !== undefined && 'lane' in value) seen.set(value.lane, value.lastSeq);
    }
    expect([...seen.keys()].sort()).toEqual(['a', 'b']);
    await queue.close();
    expect((await hints.next()).done).toBe(true);
  });
}
