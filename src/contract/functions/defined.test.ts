import { expect, expectTypeOf, test } from 'vitest';
import { defined } from './defined.ts';

test('only fields that are undefined are left out', () => {
  const given = defined({ a: 1, b: undefined, c: null, d: '', e: false });
  expect(Object.entries(given)).toEqual([
    ['a', 1],
    ['c', null],
    ['d', ''],
    ['e', false],
  ]);
});

test('a field that may be undefined becomes optional, others stay as they are', () => {
  const some: { readonly a: number; readonly b: string | undefined; readonly c?: boolean } = {
    a: 1,
    b: undefined,
  };
  const exact: { readonly a: number; readonly b?: string; readonly c?: boolean } = defined(some);
  expect('b' in exact).toBe(false);
  expectTypeOf(defined({ a: 1 as number | undefined }).a).toEqualTypeOf<number | undefined>();
});
