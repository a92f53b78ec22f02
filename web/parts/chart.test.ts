import { expect, test } from 'vitest';
import { labelled, piecesOf, topOf, totalOf } from './chart.ts';

const column = (...values: number[]) => ({ label: '', values });

test('[C2] the scale of a chart ends at a round number no smaller than any value', () => {
  expect(topOf([], 4)).toBe(4);
  expect(topOf([column(3, 4), column(1)], 4)).toBe(10);
  expect(topOf([column(11)], 4)).toBe(20);
  expect(topOf([column(50)], 4)).toBe(100);
  expect(topOf([column(0.03)], 0.01)).toBeCloseTo(0.04);
  expect(topOf([column(1000)], 4)).toBe(1000);
});

test('[C2] the pieces of a column are stacked up to its total', () => {
  const pieces = piecesOf(column(2, 0, 3), 10);
  expect(pieces).toEqual([
    { series: 0, y: 80, height: 20 },
    { series: 2, y: 50, height: 30 },
  ]);
  expect(totalOf(column(2, 0, 3))).toBe(5);
});

test('[C2] labels are thinned out, by half on a phone, and the last column keeps its label', () => {
  const all = Array.from({ length: 30 }, (_, index) => labelled(index, 30, 6));
  expect(all.filter((each) => each !== 'never')).toHaveLength(6);
  expect(all.filter((each) => each === 'always')).toHaveLength(3);
  expect(all.at(-1)).toBe('always');
});
