import { expect } from 'vitest';
import { eventOf } from '../../contract/events/event-of.ts';
import { PAYLOAD_MAX } from '../../contract/run.ts';
import { NAME_MAX } from '../../contract/values/ids.ts';
import type { Json } from '../../contract/values/json.ts';
import { failed, type Rule, refused } from './rig.ts';

const VALUES: readonly [string, Json][] = [
  ['null', null],
  ['plain values', [0, -1.5, 1e300, true, '', []]],
  ['Japanese and emoji', { 挨拶: 'こんにちは、世界', '👩‍👩‍👧‍👦': '🎌🇯🇵' }],
  ['NUL and control characters', 'a\u0000b\u0001\n\t\u007f\u2028'],
  ['half a surrogate pair', { '\ud800': 'x\udc00y' }],
  ['keys of built-in properties', JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json],
  ['quotes and backslashes', '"\\\'`$1 %s {}; DROP TABLE runs --'],
  ['deep', JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`) as Json],
];

/** Values are read back as they were written. */
export function valueRules(rule: Rule): void {
  for (const [name, value] of VALUES) {
    rule(`[Q22] values are read back unchanged: ${name}`, async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue({ lane: 'l', payload: value });
      const claimed = await rig.claimOne();
      expect(claimed.run.payload).toEqual(value);
      await rig.write(claimed, { start: true, events: [eventOf('run.progress', value)] });
      await rig.end(claimed, { kind: 'succeeded', result: value });
      const run = await rig.run(id);
      expect([run.payload, run.result]).toEqual([value, value]);
      expect((await rig.store.listAfter('l', 3, 1))[0]?.payload).toEqual(value);
    });
  }

  rule('[Q22] a payload near 1 MiB is stored completely', async (rig) => {
    await rig.node();
    const payload = 'あ'.repeat(Math.floor((PAYLOAD_MAX - 2) / 3));
    const { id } = await rig.enqueue({ payload });
    expect((await rig.claimOne()).run.payload).toBe(payload);
    expect((await rig.run(id)).payload).toBe(payload);
  });

  rule(
    '[Q22] names of the maximum length, in any script, stay distinct and in order',
    async (rig) => {
      await rig.node();
      const name = (tail: string) => tail.padStart(NAME_MAX, '列');
      const owners = [
        '',
        name('甲'),
        name('乙'),
        '😀'.repeat(NAME_MAX / 2),
        `${'x'.repeat(NAME_MAX)}`,
      ];
      const ids = new Map<string, string[]>();
      for (const [i, owner] of owners.entries()) {
        const lane = name(`😀${i}`);
        expect(lane).toHaveLength(NAME_MAX);
        ids.set(lane, await rig.enqueueMany(2, { lane, owner, idempotencyKey: null }));
      }
      const claimed = await rig.claim();
      expect(claimed.map(({ run }) => run.owner).sort()).toEqual([...owners].sort());
      for (const one of claimed) {
        expect(one.run.id).toBe(ids.get(one.run.lane)?.[0]);
        expect(await rig.finish(one)).toBe(true);
        expect(await rig.queued(one.run.lane)).toEqual(ids.get(one.run.lane)?.slice(1));
      }
      const key = { lane: name('鍵'), idempotencyKey: name('🔑'), bodyHash: 'h' };
      const { id } = await rig.enqueue(key);
      expect(await rig.enqueue(key)).toMatchObject({ id, known: true });
    },
  );

  rule('[Q22] an error message may contain any characters', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    await rig.finish(
      await rig.claimOne(),
      failed('invalid_request', 'before\u0000\ud800\u0001 後'),
    );
    const { state, error } = await rig.run(id);
    expect(state).toBe('failed');
    expect(error?.message.startsWith('before')).toBe(true);
    expect(error?.message.endsWith('後')).toBe(true);
    expect((await rig.eventTypes(id)).at(-1)).toBe('done');
  });

  rule('[Q22] modifying objects after a call does not change stored data', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l', payload: { n: 1 } });
    const claimed = await rig.claimOne();
    const progress = { n: 1 };
    const result = { n: 1 };
    const error = { class: 'timeout' as const, message: 'first' };
    // In one write: two concurrent writes may be stored in either order.
    const written = rig.write(claimed, {
      start: true,
      events: [eventOf('run.progress', progress)],
      end: { outcome: { kind: 'succeeded', result }, retryDelayMs: 0 },
    });
    (claimed.run.payload as { n: number }).n = 2;
    await written;
    progress.n = result.n = 2;
    const read = await rig.run(claimed.run.id);
    expect([read.payload, read.result]).toEqual([{ n: 1 }, { n: 1 }]);
    (read.result as { n: number }).n = 3;
    const events = await rig.store.listAfter('l', 0, 10);
    expect(events[3]?.payload).toEqual({ n: 1 });
    (events[3]?.payload as { n: number }).n = 3;
    expect((await rig.store.listAfter('l', 0, 10))[3]?.payload).toEqual({ n: 1 });
    expect((await rig.run(claimed.run.id)).result).toEqual({ n: 1 });

    const { id } = await rig.enqueue();
    await rig.finish(await rig.claimOne(), { kind: 'failed', error });
    error.message = 'second';
    expect((await rig.run(id)).error?.message).toBe('first');
    const lane = await rig.lane('l');
    lane.queued = 99;
    expect((await rig.lane('l')).queued).toBe(0);
  });

  rule('[Q22] a closed store refuses everything and can be closed twice', async (rig) => {
    await rig.store.close();
    await rig.store.close();
    await expect(rig.enqueue()).rejects.toEqual(refused('closed'));
    await expect(rig.store.get('x')).rejects.toEqual(refused('closed'));
    await expect(rig.claim()).rejects.toEqual(refused('closed'));
  });
}
