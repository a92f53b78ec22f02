import { expect, test } from 'vitest';
import type { Json } from '../values/json.ts';
import { cutDepth, DEPTH_MAX } from './cut-depth.ts';

const nested = (levels: number): Json => {
  let value: Json = 'end';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

test('[H9] a value that is nested to the limit stays as it is', () => {
  const value = nested(DEPTH_MAX);
  expect(cutDepth(value)).toEqual({ value, isCut: false });
  expect(cutDepth(value).value).toBe(value);
});

test('[H9] what is nested more deeply is replaced, however deep it is', () => {
  for (const levels of [DEPTH_MAX + 1, 2000, 100_000]) {
    const { value, isCut } = cutDepth({ kept: 1, deep: nested(levels) });
    expect(isCut).toBe(true);
    expect(value).toMatchObject({ kept: 1 });
    expect(JSON.stringify(value)).toContain('[nested too deeply]');
  }
});
