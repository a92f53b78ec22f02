import type { Report } from '../../check/evidence.ts';
import type { ClusterEvidence } from './evidence.ts';

/**
 * Counts the executions at any time by what they wrote themselves. One counts from its start to its
 * end, or to when its worker was about to be broken: from then on its slot may be another's, and it
 * is about to be stopped. One without an end counts for nothing, for nobody knows when it ended.
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
  if (most > cap) report('cap', `${most} at once, and the cap is ${cap}`);
}
