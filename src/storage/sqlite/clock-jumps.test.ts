import { expect, test } from 'vitest';
import { ClockJumps } from './clock-jumps.ts';

function clocks() {
  const at = { wall: 1_000_000, steady: 50 };
  return {
    at,
    jumps: new ClockJumps(
      () => at.wall,
      () => at.steady,
    ),
  };
}

test('[Q6] time that passes on both clocks is not a jump', () => {
  const { at, jumps } = clocks();
  at.wall += 3_600_000;
  at.steady += 3_600_000;
  expect(jumps.since()).toBe(0);
});

test('[Q6] a sleep is a jump of its length, reported once', () => {
  const { at, jumps } = clocks();
  at.wall += 600_000;
  at.steady += 10;
  expect(jumps.since()).toBe(599_990);
  expect(jumps.since()).toBe(0);
});

test('setting the clock back is a jump too, and small corrections are not', () => {
  const { at, jumps } = clocks();
  at.wall -= 5000;
  expect(jumps.since()).toBe(-5000);
  at.wall += 900;
  expect(jumps.since()).toBe(0);
});

test('a jump that could not be applied is reported again', () => {
  const { at, jumps } = clocks();
  at.wall += 60_000;
  jumps.undo(jumps.since());
  expect(jumps.since()).toBe(60_000);
});
