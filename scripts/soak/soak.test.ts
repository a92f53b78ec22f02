import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { PARTS, type Part } from './parts.ts';
import { reportPage } from './report.ts';
import { Runner } from './runner.ts';

const root = resolve(import.meta.dirname, '../..');

function rig() {
  const out = temporaryDirectory();
  const lines: string[] = [];
  return { out, lines, runner: new Runner({ root, out, say: (line) => lines.push(line) }) };
}

const printing = (code: string): Part => ({
  about: 'prints',
  round: (seed) => [{ args: ['-e', code], env: { SEED: String(seed) } }],
  repeats: true,
});

test('a part repeats with the next seeds until its time is up, and its output is kept', async () => {
  const { runner, out } = rig();
  const part = printing('console.log("seed", process.env.SEED, "<b>")');
  const result = await runner.run('demo', part, { seed: 7, minutes: 0.01 });
  expect(result).toMatchObject({ name: 'demo', outcome: 'passed' });
  expect(result.commands.length).toBeGreaterThan(1);
  expect(result.commands[1]).toMatchObject({ exitCode: 0, summary: ['seed 8 <b>'] });
  expect(result.commands[1]!.command).toMatch(/^SEED=8 node -e /);
  expect(readFileSync(join(out, result.commands[0]!.log), 'utf8')).toBe('seed 7 <b>\n');
});

test('a part ends at the first command that fails', async () => {
  const { runner } = rig();
  const part = printing('console.error("broken"); process.exit(process.env.SEED > 7 ? 3 : 0)');
  const result = await runner.run('demo', part, { seed: 7, minutes: 5 });
  expect(result.outcome).toBe('failed');
  expect(result.commands.map(({ exitCode }) => exitCode)).toEqual([0, 3]);
});

test('a stop ends the command in progress', async () => {
  const { runner, lines } = rig();
  const running = runner.run('demo', printing('setInterval(() => {}, 1000)'), {
    seed: 1,
    minutes: 5,
  });
  expect(lines.length).toBe(2);
  runner.stop();
  expect(await running).toMatchObject({ outcome: 'interrupted', commands: [{ exitCode: null }] });
});

test('the page shows every part, and opens the commands that failed', () => {
  const command = { command: 'node x', seconds: 61, summary: ['<script>'], log: 'x-1.log' };
  const page = reportPage({
    startedAt: '2026-01-01T00:00:00.000Z',
    commit: 'abc',
    seed: 7,
    minutes: 5,
    processors: 2,
    node: 'v24',
    parts: [
      {
        name: 'one',
        about: 'a',
        outcome: 'passed',
        seconds: 61,
        commands: [{ ...command, exitCode: 0 }],
      },
      {
        name: 'two',
        about: 'b',
        outcome: 'failed',
        seconds: 2,
        commands: [{ ...command, exitCode: 1 }],
      },
    ],
  });
  expect(page).toContain('1 of 2 parts passed');
  expect(page).toContain('passed · 1:01');
  expect(page.match(/<details open>/g)).toHaveLength(1);
  expect(page).not.toContain('<script>');
});

test.each([
  [['nothing'], /There is no part "nothing"\..*chaos-queue/s],
  [['--minutes', '0'], /--minutes is not a number above 0: 0/],
  [['--seed', 'x'], /--seed is not a whole number: x/],
  [['--speed', '1'], /--speed/],
])('%j is refused, and the error lists the parts', async (args, message) => {
  const child = spawn(process.execPath, [join(root, 'scripts/soak/main.ts'), ...args]);
  let output = '';
  child.stderr.on('data', (text) => (output += text));
  expect(await new Promise((done) => child.on('close', done))).toBe(2);
  expect(output).toMatch(message);
});

test('the file that each part starts exists', () => {
  for (const { round } of Object.values(PARTS))
    for (const { args } of round(1, 1))
      expect(() => readFileSync(join(root, args[0]!))).not.toThrow();
});
