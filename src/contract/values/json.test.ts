import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Json } from './json.ts';

describe('Json', () => {
  const fits = (value: unknown): boolean => Json.safeParse(value).success;

  it("[Q17] accepts exactly what zod's own schema accepts", () => {
    const value = fc.anything({
      // zod skips this key; ours checks the value behind it, too (below).
      key: fc.string().filter((key) => key !== '__proto__'),
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(value, (any) => fits(any) === z.json().safeParse(any).success),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['a hole', new Array(2)],
    ['a hole behind the key __proto__', { ['__proto__']: new Array(1) }],
    ['an undefined field', { a: undefined }],
    ['a symbol key', { [Symbol('a')]: 1 }],
    ['an instance', new (class {})()],
    ['infinity', { a: [Number.POSITIVE_INFINITY] }],
  ])('[Q17] refuses %s', (_, value) => {
    expect(fits(value)).toBe(false);
  });
});
