import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caps } from '../store.ts';
import { planClaim, type ReadyLanes, type Shared } from './claim-plan.ts';

/** Ready lanes as plain numbers, with a count of how many owners the plan visited. */
class Waiting implements ReadyLanes {
  readonly cursors = new Map<string, string>();
  readonly executing = new Map<string, number>();
  readonly ready: Map<string, number>;
  visits = 0;

  constructor(ready: Iterable<readonly [owner: string, lanes: number]>) {
    this.ready = new Map(ready);
  }

  cursor(type: string): string | null {
    return this.cursors.get(type) ?? null;
  }

  setCursor(type: string, owner: string | null): void {
    if (owner !== null) this.cursors.set(type, owner);
  }

  nextOwner(_type: string, after: string | null): string | null {
    this.visits++;
    const owners = [...this.ready].filter(([, lanes]) => lanes > 0).map(([owner]) => owner);
    return owners.sort().find((owner) => after === null || owner > after) ?? null;
  }

  share(_type: string, owner: string, count: number, here: number): Shared {
    const taken = Math.min(count, here, this.ready.get(owner) ?? 0);
    this.ready.set(owner, (this.ready.get(owner) ?? 0) - taken);
    this.executing.set(owner, (this.executing.get(owner) ?? 0) + taken);
    return { taken, left: [] };
  }

  // One host only; turns between hosts are covered by the stores' conformance suite.
  otherHosts(): Map<string, number> {
    return new Map();
  }

  leave(): void {}

  turn(): null {
    return null;
  }

  endTurn(): void {}

  hasOwn(): boolean {
    return false;
  }

  executingOfType(): number {
    return [...this.executing.values()].reduce((sum, count) => sum + count, 0);
  }

  executingOfOwner(owner: string): number {
    return this.executing.get(owner) ?? 0;
  }

  finish(owner: string): void {
    this.executing.set(owner, this.executingOfOwner(owner) - 1);
  }
}

const claim = (lanes: Waiting, limit: number, caps: Partial<Caps> = {}): number =>
  planClaim(lanes, { types: ['task'], limit, caps: { types: {}, perOwner: null, ...caps } });

const owners = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `owner-${String(i).padStart(5, '0')}`);

describe('planClaim', () => {
  it('[Q2] never exceeds the limit, the cap of a type or that of an owner', () => {
    const counts = fc.array(fc.nat({ max: 6 }), { maxLength: 12 });
    const cap = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(counts, cap, cap, fc.nat({ max: 12 }), (lanes, typeCap, perOwner, limit) => {
        const waiting = new Waiting(lanes.map((count, i) => [`owner-${i}`, count]));
        for (let i = 0; i < 3; i++) {
          const taken = claim(waiting, limit, { types: { task: typeCap }, perOwner });
          expect(taken).toBeLessThanOrEqual(limit);
          expect(waiting.executingOfType()).toBeLessThanOrEqual(typeCap);
          for (const count of waiting.executing.values()) {
            expect(count).toBeLessThanOrEqual(perOwner);
          }
        }
      }),
    );
  });

  it('[Q2] hands out runs for as long as the caps allow any', () => {
    const counts = fc.array(fc.nat({ max: 3 }), { maxLength: 60 });
    const perOwner = fc.integer({ min: 1, max: 3 });
    fc.assert(
      fc.property(counts, perOwner, fc.integer({ min: 1, max: 4 }), (lanes, cap, limit) => {
        const waiting = new Waiting(lanes.map((count, i) => [`owner-${i}`, count]));
        const allowed = lanes.reduce((sum, count) => sum + Math.min(count, cap), 0);
        let taken = 0;
        for (;;) {
          const more = claim(waiting, limit, { perOwner: cap });
          if (more === 0) break;
          taken += more;
        }
        expect(taken).toBe(allowed);
      }),
    );
  });

  it('[Q4] serves every owner once before any owner twice', () => {
    const slots = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), slots, fc.boolean(), (users, free, together) => {
        const names = owners(users);
        const waiting = new Waiting(names.map((owner, i) => [owner, i % 3 === 0 ? 1000 : 5]));
        const first = new Map<string, number>();
        const running: string[] = [];
        const bound = Math.ceil(users / free) + 1;
        for (let start = 0; start <= bound * free; ) {
          const before = new Map(waiting.executing);
          const taken = claim(waiting, free - running.length);
          for (const owner of names) {
            const more = waiting.executingOfOwner(owner) - (before.get(owner) ?? 0);
            if (more > 0 && !first.has(owner)) first.set(owner, start);
            for (let i = 0; i < more; i++) running.push(owner);
          }
          start += taken;
          for (const owner of running.splice(0, together ? free : 1)) waiting.finish(owner);
        }
        expect(names.filter((owner) => !first.has(owner))).toEqual([]);
      }),
    );
  });

  it('[Q4] a single slot rotates among the owners', () => {
    const waiting = new Waiting([
      ['ann', 9],
      ['bob', 9],
      ['cat', 9],
    ]);
    const served: string[] = [];
    for (let i = 0; i < 6; i++) {
      claim(waiting, 1);
      const owner = [...waiting.executing].find(([, count]) => count > 0)?.[0] as string;
      served.push(owner);
      waiting.finish(owner);
    }
    expect(served).toEqual(['ann', 'bob', 'cat', 'ann', 'bob', 'cat']);
  });

  it('[Q5] visits no more owners when more are waiting', () => {
    const visits = (count: number, executing: number): number => {
      const waiting = new Waiting(owners(count).map((owner) => [owner, 100]));
      for (const owner of owners(executing)) waiting.executing.set(owner, 1);
      claim(waiting, 4);
      return waiting.visits;
    };
    expect(visits(5000, 0)).toBe(visits(50, 0));
    expect(visits(5000, 5000)).toBeLessThanOrEqual(2 * 4 + 16 + 2);
  });

  it('[Q2] a type named like a built-in property has no cap', () => {
    const waiting = new Waiting([['ann', 1]]);
    const caps = { types: {}, perOwner: null };
    expect(planClaim(waiting, { types: ['constructor'], limit: 1, caps })).toBe(1);
  });
});
