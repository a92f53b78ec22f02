/**
 * How thoroughly tests that draw cases look: 1 in `npm test`, more by TEST_DEPTH. Not named BATON_…:
 * what these tests start would refuse it.
 */
export const DEPTH = Number(process.env['TEST_DEPTH'] ?? 1);
if (!(DEPTH >= 1))
  throw new Error(`TEST_DEPTH is "${process.env['TEST_DEPTH']}". It is 1 or more.`);

/** All of these cases if tests look thoroughly, else some of them. */
export const casesOf = <const T>(all: readonly T[], some: readonly T[]): readonly T[] =>
  DEPTH > 1 ? all : some;
