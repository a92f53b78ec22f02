import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.ts';
import { LaneQueue } from './lane-queue.ts';
import { MostlySortedQueue } from './mostly-sorted-queue.ts';
import type { RunRecord } from './records.ts';
import { SortedNames } from './sorted-names.ts';

describe('the structures of the memory store', () => {
  it('[Q18] a heap returns the least item first, even after removals from its middle', () => {
    const ops = fc.array(fc.record({ add: fc.boolean(), value: fc.nat({ max: 50 }) }));
    fc.assert(
      fc.property(ops, (list) => {
        const heap = new Heap<{ slot: number; value: number }>((a, b) => a.value - b.value);
        const items: { slot: number; value: number }[] = [];
        for (const { add, value } of list) {
          if (add || items.length === 0) {
            const item = { slot: -1, value };
            heap.add(item);
            items.push(item);
          } else {
            const [item] = items.splice(value % items.length, 1);
            heap.remove(item as (typeof items)[number]);
            expect(item?.slot).toBe(-1);
          }
          expect(heap.size).toBe(items.length);
          const least = Math.min(...items.map((item) => item.value));
          expect(heap.peek()?.value ?? Number.POSITIVE_INFINITY).toBe(least);
        }
      }),
    );
  });

  it('[Q18] a mostly sorted queue returns the least item first, for any order of changes', () => {
    const rising = fc.integer({ min: -3, max: 10 });
    const ops = fc.array(fc.record({ add: fc.boolean(), value: rising }), { maxLength: 300 });
    fc.assert(
      fc.property(ops, (list) => {
        const queue = new MostlySortedQueue<{ slot: number; value: number }>(
          (a, b) => a.value - b.value,
        );
        const items: { slot: number; value: number }[] = [];
        let value = 0;
        for (const op of list) {
          value += op.value;
          if (op.add || items.length === 0) {
            const item = { slot: -1, value };
            queue.add(item);
            items.push(item);
          } else {
            // Half of the items are removed at the front.
            const first = items.indexOf(queue.peek() as (typeof items)[number]);
            const at = op.value % 2 === 0 ? first : Math.abs(value) % items.length;
            const [item] = items.splice(at, 1);
            queue.remove(item as (typeof items)[number]);
            expect(item?.slot).toBe(-1);
          }
          expect(queue.size).toBe(items.length);
          const least = Math.min(...items.map((item) => item.value));
          expect(queue.peek()?.value ?? Number.POSITIVE_INFINITY).toBe(least);
        }
      }),
    );
  });

  it('[Q18] a long mostly sorted queue closes the gap at its front', () => {
    const queue = new MostlySortedQueue<{ slot: number; value: number }>(
      (a, b) => a.value - b.value,
    );
    const items = Array.from({ length: 5000 }, (_, value) => ({ slot: -1, value }));
    for (const item of items) queue.add(item);
    for (const item of items.slice(0, 4000)) queue.remove(item);
    queue.remove(items[4500] as (typeof items)[number]);
    expect([queue.size, queue.peek()]).toEqual([999, items[4000]]);
    const left: unknown[] = [];
    for (let item = queue.peek(); item !== undefined; item = queue.peek()) {
      left.push(item);
      queue.remove(item);
    }
    expect(left).toEqual([...items.slice(4000, 4500), ...items.slice(4501)]);
  });

  it('[Q18] sorted names are a set in order', () => {
    const name = fc.string({ maxLength: 3 });
    const ops = fc.array(fc.tuple(fc.boolean(), name), { maxLength: 200 });
    fc.assert(
      fc.property(ops, name, (list, from) => {
        const names = new SortedNames();
        const set = new Set<string>();
        for (const [add, value] of list) {
          if (add) names.add(value);
          else names.delete(value);
          if (add) set.add(value);
          else set.delete(value);
        }
        const sorted = [...set].sort();
        expect([...names.after(null)]).toEqual(sorted);
        expect(names.next(from)).toBe(sorted.find((value) => value > from) ?? null);
        expect(names.empty).toBe(set.size === 0);
      }),
    );
  });

  it('[Q18] sorted names keep their order over many pieces', () => {
    const names = new SortedNames();
    const all = Array.from({ length: 5000 }, (_, i) => String((i * 7919) % 5000).padStart(4, '0'));
    for (const name of all) names.add(name);
    expect([...names.after(null)]).toEqual(all.toSorted());
    for (const name of all.slice(0, 4000)) names.delete(name);
    expect([...names.after('2500')]).toEqual(
      all
        .slice(4000)
        .filter((name) => name > '2500')
        .sort(),
    );
  });

  it('[Q18] the queue of a lane stays in order, wherever runs are added and removed', () => {
    const ops = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 1000 })), { maxLength: 400 });
    fc.assert(
      fc.property(ops, (list) => {
        const queue = new LaneQueue();
        let runs: RunRecord[] = [];
        for (const [add, value] of list) {
          const known = runs.some((run) => run.core.position === value);
          if (add && !known) {
            const run = { core: { position: value } } as RunRecord;
            queue.add(run);
            runs = [...runs, run].sort((a, b) => (a.core.position ?? 0) - (b.core.position ?? 0));
          } else if (runs.length > 0) {
            // Most runs are removed at the front.
            const [run] = runs.splice(value % 3 === 0 ? value % runs.length : 0, 1);
            queue.remove(run as RunRecord);
          }
          expect(Array.from({ length: queue.length }, (_, i) => queue.at(i))).toEqual(runs);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('[Q18] a long lane queue closes the gap at its front', () => {
    const queue = new LaneQueue();
    const runs = Array.from({ length: 500 }, (_, i) => ({ core: { position: i } }) as RunRecord);
    for (const run of runs) queue.add(run);
    for (const run of runs.slice(0, 400)) queue.remove(run);
    expect([queue.length, queue.at(0), queue.at(99)]).toEqual([100, runs[400], runs[499]]);
  });
});
