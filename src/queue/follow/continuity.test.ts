import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seqs } from '../../../test/support/tails.ts';
import type { LogEvent } from '../../contract/event.ts';
import { advance, type Position } from './continuity.ts';

const event = (seq: number): LogEvent => ({
  lane: 'l',
  seq,
  runId: null,
  attempt: null,
  type: 'session.status',
  payload: null,
  at: 0,
});
const page = (...numbers: number[]): LogEvent[] => numbers.map(event);

test('[E3] a page without gaps is accepted as it is', () => {
  expect(advance({ head: 2, proven: 2 }, page(3, 4), false)).toEqual({
    events: page(3, 4),
    head: 4,
    proven: 4,
    more: false,
    skipped: false,
  });
});

test('[E3] an unexplained gap is not skipped but read again', () => {
  const first = advance({ head: 2, proven: 2 }, page(3, 5, 6), false);
  expect(first).toMatchObject({ head: 3, proven: 6, more: true, skipped: false });
  expect(seqs(first.events)).toEqual([3]);
  const late = advance(first, page(4, 5, 6), false);
  expect(late).toMatchObject({ head: 6, more: false, skipped: false });
  const removed = advance(first, page(5, 6), false);
  expect(removed).toMatchObject({ head: 6, more: false, skipped: true });
});

test('[E3] removed events at the end of the log are skipped once they are proven', () => {
  expect(advance({ head: 2, proven: 5 }, [], false)).toMatchObject({ head: 5, skipped: true });
  expect(advance({ head: 2, proven: 2 }, [], false)).toMatchObject({ head: 2, skipped: false });
});

type Step =
  | { readonly do: 'append'; readonly count: number }
  | { readonly do: 'remove'; readonly seq: number }
  | { readonly do: 'probe' }
  | { readonly do: 'read'; readonly limit: number; readonly hides: boolean };

const step = fc.oneof(
  fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('remove' as const), seq: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('probe' as const) }),
  fc.record({
    do: fc.constant('read' as const),
    limit: fc.integer({ min: 1, max: 6 }),
    hides: fc.boolean(),
  }),
);

test('[E3] for any order of appends, removals and reads, no remaining event is lost or doubled', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps: Step[]) => {
      let last = 0;
      const log = new Set<number>();
      const removed = new Set<number>();
      const seen: number[] = [];
      let at: Position = { head: 0, proven: 0 };
      const readPage = (limit: number, hides: boolean): boolean => {
        const after = [...log].filter((seq) => seq > at.head);
        // A commit that becomes visible late; the store promises that proven events never do.
        const hidden = hides ? after.find((seq) => seq > at.proven) : undefined;
        const visible = after.filter((seq) => seq !== hidden).slice(0, limit);
        const next = advance(at, page(...visible), visible.length >= limit);
        seen.push(...seqs(next.events));
        at = next;
        return next.more;
      };
      for (const one of steps) {
        if (one.do === 'append') for (let i = 0; i < one.count; i++) log.add(++last);
        else if (one.do === 'remove' && log.delete(one.seq)) removed.add(one.seq);
        else if (one.do === 'probe') at = { ...at, proven: Math.max(at.proven, last) };
        else if (one.do === 'read') readPage(one.limit, one.hides);
      }
      at = { ...at, proven: Math.max(at.proven, last) };
      while (readPage(4, false)) {}
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      const missing = Array.from({ length: last }, (_, i) => i + 1).filter(
        (seq) => !seen.includes(seq) && !removed.has(seq),
      );
      expect(missing).toEqual([]);
      expect(at.head).toBe(last);
    }),
    { numRuns: 500 },
  );
});
