import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, because it also runs under an old Node
import { closingLine, readCounts } from './test-result.mjs';

const place = mkdtempSync(join(tmpdir(), 'baton-result-'));
afterAll(() => rmSync(place, { recursive: true }));

function line(testResults: unknown, exitCode: number): string {
  const file = join(place, 'result.json');
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
  expect(closingLine(readCounts(join(place, 'missing.json'), 1))).toBe('0 passed, 1 failed');
});
