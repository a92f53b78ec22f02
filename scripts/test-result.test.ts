import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, because it also runs under an old Node
import { closingLine, readCounts, slowestLines } from './test-result.mjs';

const directory = mkdtempSync(join(tmpdir(), 'baton-result-'));
afterAll(() => rmSync(directory, { recursive: true }));

function line(testResults: unknown, exitCode: number): string {
  const file = join(directory, 'result.json');
  writeFileSync(file, JSON.stringify({ testResults }));
  return closingLine(readCounts(file, exitCode));
}
const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

test('the closing line counts tests, and skipped ones only if there are any', () => {
  expect(line([file('passed', 'passed', 'passed')], 0)).toBe('2 passed, 0 failed');
  const some = [file('passed', 'passed', 'skipped', 'todo'), file('failed', 'passed', 'failed')];
  expect(line(some, 1)).toBe('2 passed, 1 failed, 2 skipped');
});

test('a file that could not be loaded, an error between tests and no result are failures', () => {
  expect(line([file('passed', 'passed'), file('failed')], 1)).toBe('1 passed, 1 failed');
  expect(line([file('passed', 'passed')], 1)).toBe('1 passed, 1 failed');
  expect(closingLine(readCounts(join(directory, 'missing.json'), 1))).toBe('0 passed, 1 failed');
});

test('the slowest files and tests are listed, and those over a minute counted', () => {
  const timed = (name: string, ms: number, ...tests: number[]) => ({
    name: `/checkout/test/${name}`,
    status: 'passed',
    startTime: 1000,
    endTime: 1000 + ms,
    assertionResults: tests.map((duration, i) => ({
      title: `test ${i}`,
      status: 'passed',
      duration,
    })),
  });
  const path = join(directory, 'slow.json');
  const testResults = [timed('a.test.ts', 2000, 500, 1400), timed('b.test.ts', 61_500, 61_000)];
  writeFileSync(path, JSON.stringify({ testResults }));
  expect(slowestLines(path, '/checkout')).toEqual([
    'Slowest files:',
    '   61.5 s  test/b.test.ts',
    '    2.0 s  test/a.test.ts',
    'Slowest tests:',
    '   61.0 s  test/b.test.ts: test 0',
    '    1.4 s  test/a.test.ts: test 1',
    '    0.5 s  test/a.test.ts: test 0',
    '1 took more than 60 s.',
  ]);
  expect(slowestLines(join(directory, 'missing.json'), '/checkout')).toHaveLength(2);
});
