import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultyStore } from '../../../test/support/faulty-store.ts';
import { read, seqs } from '../../../test/support/tails.ts';
import { BatonError } from '../../contract/errors.ts';
import type { LogEvent } from '../../contract/event.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { memoryStore } from '../memory/store.ts';
import { RunQueue } from '../run-queue.ts';
import type { Store } from '../store.ts';
import type { Tail } from './tail.ts';

const LANE = 'l';

type Step =
  | { readonly do: 'note' | 'run' | 'purge' | 'turn' | 'fail' }
  | { readonly do: 'tail'; readonly back: number }
  | { readonly do: 'read'; readonly tail: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('note' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('run' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const) }) },
  fc.record({ do: fc.constant('tail' as const), back: fc.integer({ min: -3, max: 30 }) }),
  fc.record({ do: fc.constant('read' as const), tail: fc.nat(5) }),
);

/** Drops the hints that `lost` selects. */
function loseHints(store: Store, lost: readonly boolean[]): void {
  const onHint = store.onHint.bind(store);
  let n = 0;
  store.onHint = (listener) =>
    onHint((hint) => {
      if (lost[n++ % lost.length] !== true) listener(hint);
    });
}

interface Followed {
  readonly tail: Tail;
  readonly after: number;
  readonly seen: LogEvent[];
}

test('[E1] [E3] despite lost hints, failed reads and purges, every tail sees each remaining event once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80, size: 'max' }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      async (steps, lost) => {
        let now = 0;
        const base = memoryStore({ clock: () => now });
        loseHints(base, lost);
        const { store, faults } = faultyStore(base);
        const queue = new RunQueue(store, { follow: { pollMs: 2 } }).register('t', {});
        // An unfinished run keeps the lane when others are purged.
        await queue.enqueue({ type: 't', lane: LANE });
        const followed: Followed[] = [];
        const lastSeq = async () => (await base.lastSeqs([LANE])).get(LANE) ?? 0;
        const note = () =>
          base.change({ do: 'note', lane: LANE, event: eventOf('run.progress', 0) });
        let failing = 0;
        faults.before = (method) => {
          if (/^(listAfter|lastSeqs)/.test(method) && failing-- > 0) {
            throw new BatonError('database_unreachable');
          }
        };
        for (const one of steps) {
          now++;
          if (one.do === 'note') await note();
          else if (one.do === 'run') {
            const { id } = await queue.enqueue({ type: 't', lane: LANE });
            await queue.cancel(id);
          } else if (one.do === 'purge') await base.purge({ before: now, limit: 100 });
          else if (one.do === 'turn') await new Promise(setImmediate);
          else if (one.do === 'fail') failing = 2;
          else if (one.do === 'tail') {
            const after = Math.max(0, (await lastSeq()) - one.back);
            followed.push({ tail: queue.tail(LANE, { after }), after, seen: [] });
          } else if (one.do === 'read') {
            const chosen = followed[one.tail];
            // Only if there is a stored event, so the read will not wait forever.
            const left = await base.listAfter(LANE, chosen?.tail.position ?? 0, 1);
            if (left.length > 0) chosen?.seen.push(...(await read(chosen.tail, 1)));
          }
        }
        failing = 0;
        for (let i = 0; i < 4; i++) await note();
        const last = await lastSeq();
        const stored = seqs(await base.listAfter(LANE, 0, 1000));
        for (const { tail, after, seen } of followed) {
          while ((seen.at(-1)?.seq ?? 0) < last) seen.push(...(await read(tail, 1)));
          const got = seqs(seen);
          expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
          expect(got[0]).toBeGreaterThan(after);
          expect(stored.filter((seq) => seq > after && !got.includes(seq))).toEqual([]);
        }
        await queue.close();
      },
    ),
    { numRuns: 100 },
  );
});
