import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Json } from './json.ts';

describe('Json', () => {
  const fits = (value: unknown): boolean => Json.safeParse(value).success;

  it('[Q17] takes what the schema of zod takes, and nothing else', () => {
    const value = fc.anything({
      // zod passes over this one; what lies behind it is looked at here, too (below).
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
    ['a hole behind a key that objects have of themselves', { ['__proto__']: new Array(1) }],
    ['nothing in a field', { a: undefined }],
    ['a key that is a symbol', { [Symbol('a')]: 1 }],
    ['an instance', new (class {})()],
    ['infinity', { a: [Number.POSITIVE_INFINITY] }],
  ])('[Q17] refuses %s', (_, value) => {
    expect(fits(value)).toBe(false);
  });
});
