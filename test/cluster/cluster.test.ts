import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, start } from '../support/processes.ts';

const main = join(root, 'chaos', 'main.ts');
const SEED = '7';
/** A minute in total, mostly to start, drain and stop the nodes; docs/chaos.md describes long runs. */
const SHORT = ['--seconds', '10', '--sessions', '64', '--rate', '24'];

test('[E3] [E9] [O2] [O5] [P6] [Q1] [Q2] [Q7] [Q10] [Q20] [Q22] [S3] [X3] 10 s of chaos over two API nodes and two workers break no rule', async () => {
  const program = start(process.execPath, [main, 'cluster', ...SHORT, '--seed', SEED]);
  const { code } = await program.exit;
  const said = program.stdout() + program.stderr();
  expect(said, `seed ${SEED}`).toMatch(/ 0 violations\n$/);
  // Without faults the test would prove nothing.
  expect(said).toMatch(/ [1-9]\d* kills, .* [1-9]\d* outages /);
  expect(code).toBe(0);
}, 1_200_000);

test('chaos over a cluster prints its usage', async () => {
  for (const args of [
    ['cluster', '--minutes', '0'],
    ['cluster', '--database', 'sqlite'],
  ]) {
    const program = start(process.execPath, [main, ...args]);
    expect((await program.exit).code, args.join(' ')).toBe(2);
    expect(program.stderr()).toContain('npm run chaos -- cluster');
  }
});
