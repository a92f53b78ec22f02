import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POSITION_STEP, positionBetween, renumbered } from './position.ts';

describe('positions in a lane', () => {
  it('[Q12] lie strictly between their neighbours, or there is none', () => {
    const position = fc.maxSafeNat().map((n) => Math.floor(n / 4));
    fc.assert(
      fc.property(position, fc.nat({ max: 5000 }), (before, gap) => {
        const between = positionBetween(before, before + gap);
        expect(between === null).toBe(gap < 2);
        if (between === null) return;
        expect(Number.isInteger(between)).toBe(true);
        expect(between).toBeGreaterThan(before);
        expect(between).toBeLessThan(before + gap);
      }),
    );
  });

  it('[Q12] have room for ten runs between two that joined one after the other', () => {
    let after = POSITION_STEP;
    let room = 0;
    for (let position = positionBetween(0, after); position !== null; room++) {
      after = position;
      position = positionBetween(0, after);
    }
    expect(room).toBe(10);
  });

  it('[Q12] are renumbered with full gaps', () => {
    expect([renumbered(5000, 0), renumbered(5000, 2)]).toEqual([5000, 5000 + 2 * POSITION_STEP]);
  });
});
