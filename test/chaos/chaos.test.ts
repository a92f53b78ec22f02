import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, start } from '../support/processes.ts';

test('[Q1] [Q7] [Q13] [Q22] [E1] [E3] 8 s of chaos on PostgreSQL break no rule', {
  timeout: 120_000,
}, async () => {
  const main = join(root, 'chaos', 'main.ts');
  const program = start(process.execPath, [main, 'queue', '--seconds', '8', '--seed', '5']);
  const { code } = await program.exit;
  expect(program.stdout() + program.stderr()).toMatch(/ 0 violations\n$/);
  expect(code).toBe(0);
});

test('chaos prints its usage', async () => {
  const main = join(root, 'chaos', 'main.ts');
  for (const args of [[], ['other'], ['queue', '--seconds', 'x'], ['queue', '--seed', '1.5']]) {
    const program = start(process.execPath, [main, ...args]);
    expect((await program.exit).code, args.join(' ')).toBe(2);
    expect(program.stderr()).toContain('usage: npm run chaos -- queue');
  }
});
