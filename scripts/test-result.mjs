import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Counts from the file of vitest's JSON reporter. A file that could not be loaded counts as one
 * failure, and so does a run that failed without a failing test: "0 failed" must mean success.
 */
export function readCounts(file, exitCode) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const { status, assertionResults } of readResults(file)) {
    const tests = assertionResults.map((each) => each.status);
    const failures = tests.filter((each) => each === 'failed').length;
    passed += tests.filter((each) => each === 'passed').length;
    failed += status === 'failed' ? Math.max(1, failures) : failures;
    skipped += tests.filter((each) => each !== 'passed' && each !== 'failed').length;
  }
  return { passed, failed: exitCode === 0 ? failed : Math.max(1, failed), skipped };
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return []; // vitest did not get as far as writing it
  }
}

const SHOWN = 10;
const SHOWN_CHARACTERS = 110;
/** A test that takes longer should be split, or get a short form. */
const LONG_MS = 60_000;

/** Where the time went. A long test is not a failure: the machine may be slow. */
export function slowestLines(file, root) {
  const results = readResults(file).map((one) => ({ ...one, path: relative(root, one.name) }));
  const files = results.map(({ path, startTime, endTime }) => [endTime - startTime, path]);
  const tests = results.flatMap(({ path, assertionResults }) =>
    assertionResults.map(({ duration, title }) => [duration ?? 0, `${path}: ${title}`]),
  );
  const tooLong = tests.filter(([ms]) => ms > LONG_MS).length;
  return [
    'Slowest files:',
    ...longest(files),
    'Slowest tests:',
    ...longest(tests),
    ...(tooLong === 0 ? [] : [`${tooLong} took more than ${LONG_MS / 1000} s.`]),
  ];
}

const longest = (timed) =>
  timed
    .sort(([a], [b]) => b - a)
    .slice(0, SHOWN)
    .map(
      ([ms, what]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${what.slice(0, SHOWN_CHARACTERS)}`,
    );

/** CI parses this form, alone on its line. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
