import type { Report } from '../../check/evidence.ts';
import type { ClusterEvidence } from './evidence.ts';

/**
 * The largest number of executions at once, according to the lines they wrote themselves. An
 * execution counts from its start to its end, or until its worker is about to be broken: from then
 * on its slot may be reused. One without an end is not counted, because its end is unknown.
 */
export function mostAtOnce(trace: readonly string[]): number {
  const ends = new Map<string, number>();
  for (const [at, line] of trace.entries()) {
    const [what, mark = ''] = line.split(' ');
    if (what === 'end') ends.set(mark, at);
  }
  const executing = new Map<string, string>();
  let most = 0;
  for (const line of trace) {
    const [what, word = '', worker = ''] = line.split(' ');
    if (what === 'start' && ends.has(word)) executing.set(word, worker);
    else if (what === 'end') executing.delete(word);
    else if (what === 'cut')
      for (const [mark, by] of executing) {
        if (word === 'all' || by === word) executing.delete(mark);
      }
    most = Math.max(most, executing.size);
  }
  return most;
}

export function checkCap({ trace, cap }: ClusterEvidence, report: Report): void {
  const most = mostAtOnce(trace);
  if (most > cap) report('cap', `${most} at once, but the cap is ${cap}`);
}
