import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitCodeOf, stopCounter } from './stop-requests.ts';

function countsOf(arrivals: ('directly' | 'throughLauncher')[]): number[] {
  const counts: number[] = [];
  const count = stopCounter((times) => counts.push(times));
  for (const way of arrivals) count(way, 'SIGTERM');
  return counts;
}

test('[O1] one request counts once, whichever way it comes', () => {
  expect(countsOf(['directly'])).toEqual([1]);
  expect(countsOf(['throughLauncher'])).toEqual([1]);
  expect(countsOf(['directly', 'throughLauncher'])).toEqual([1]);
  expect(countsOf(['throughLauncher', 'directly'])).toEqual([1]);
});

test('[O1] a second request counts, even before the first has arrived both ways', () => {
  expect(countsOf(['throughLauncher', 'throughLauncher'])).toEqual([1, 2]);
  expect(countsOf(['directly', 'throughLauncher', 'throughLauncher'])).toEqual([1, 2]);
  expect(countsOf(['directly', 'directly', 'throughLauncher', 'throughLauncher'])).toEqual([1, 2]);
});

test('[O1] n group signals count n times in any interleaving', () => {
  const groups = fc.integer({ min: 1, max: 6 }).chain((n) =>
    fc.shuffledSubarray(
      Array.from({ length: 2 * n }, (_, i) => (i % 2 ? 'directly' : 'throughLauncher')),
      { minLength: 2 * n },
    ),
  );
  fc.assert(
    fc.property(groups, (arrivals) => {
      const n = arrivals.length / 2;
      expect(countsOf(arrivals)).toEqual(Array.from({ length: n }, (_, i) => i + 1));
    }),
  );
});

test('exit codes are those of the shell', () => {
  expect([exitCodeOf('SIGINT'), exitCodeOf('SIGTERM'), exitCodeOf('SIGHUP')]).toEqual([
    130, 143, 129,
  ]);
});
