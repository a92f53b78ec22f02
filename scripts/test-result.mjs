import { readFileSync } from 'node:fs';

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

/** CI reads this form: alone on its line. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
