/**
 * How thorough tests with generated cases are: 1 in `npm test`, more with TEST_DEPTH. Its name does
 * not begin with BATON_, because servers and commands that tests start would refuse it.
 */
export const DEPTH = Number(process.env['TEST_DEPTH'] ?? 1);
if (!(DEPTH >= 1))
  throw new Error(`TEST_DEPTH is "${process.env['TEST_DEPTH']}". It must be 1 or more.`);

/** All cases in thorough tests, otherwise only some. */
export const casesOf = <const T>(all: readonly T[], some: readonly T[]): readonly T[] =>
  DEPTH > 1 ? all : some;
