import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorClass } from '../contract/outcome.ts';
import { backoffMs, maxAttemptsOf, verdictOf } from './retry.ts';

describe('retry policy', () => {
  const RETRIED: readonly ErrorClass[] = [
    'timeout',
    'agent_crash',
    'network_error',
    'overloaded',
    'unknown',
  ];
  for (const errorClass of ErrorClass.options) {
    const verdict =
      errorClass === 'usage_limit' ? 'park' : RETRIED.includes(errorClass) ? 'retry' : 'fail';
    it(`[Q15] ${errorClass}: ${verdict}`, () => expect(verdictOf(errorClass)).toBe(verdict));
  }

  it('[Q14] agent runs have 3 attempts, others 5', () => {
    expect([maxAttemptsOf('agent'), maxAttemptsOf('mail')]).toEqual([3, 5]);
  });

  it('[Q14] waits 1 s, 2 s, 4 s … up to 60 s', () => {
    const waits = Array.from({ length: 9 }, (_, i) => backoffMs(i + 1, () => 0) / 1000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('[Q14] adds a random part of at most half the base', () => {
    const attempts = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(
        attempts,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, r) => {
          const base = backoffMs(n, () => 0);
          const wait = backoffMs(n, () => r);
          expect(Number.isInteger(wait)).toBe(true);
          expect(wait).toBeGreaterThanOrEqual(base);
          expect(wait).toBeLessThanOrEqual(base * 1.5);
          expect(wait).toBeLessThanOrEqual(90_000);
        },
      ),
    );
  });
});
