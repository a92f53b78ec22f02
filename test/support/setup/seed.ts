import fc from 'fast-check';

/*
 * Runs with every test file: property tests draw the same cases each time, so their result depends on
 * the code, not on luck. The variable's name does not begin with BATON_, because servers and commands
 * that tests start would refuse it.
 */
const DEFAULT = 20_260_731;
const given = process.env['TEST_SEED'];

const seed = given === 'random' ? Math.trunc(Math.random() * 2 ** 31) : Number(given ?? DEFAULT);
if (!Number.isSafeInteger(seed)) {
  throw new Error(`TEST_SEED is "${given}". It must be a whole number or "random".`);
}
if (given !== undefined) console.info(`property tests draw from TEST_SEED=${seed}`);
fc.configureGlobal({ seed });
