import { groupBy, type Report, show } from '../../check/evidence.ts';
import type { ClusterEvidence } from './evidence.ts';

/** Each reader of a run saw the run's events once and in order, up to its `done`. */
export function checkRunReaders({ events, runReaders }: ClusterEvidence, report: Report): void {
  const byRun = groupBy(events, ({ runId }) => runId ?? '');
  for (const { run, seen } of runReaders) {
    const there = byRun.get(run) ?? [];
    const at = there.findIndex((event, i) => event.digest !== seen[i]?.digest);
    if (at === -1 && seen.length === there.length) continue;
    report(
      'run-reader',
      `a reader of run ${run} saw ${seen.length} events of ${there.length}; ` +
        `number ${at + 1} is ${show(there[at] ?? null)}, seen ${show(seen.slice(at, at + 2))}`,
    );
  }
}

/** A client that follows hints knows the end of each of its user's sessions, and of no others. */
export function checkHints({ hints, ends }: ClusterEvidence, report: Report): void {
  for (const { person, known, own, shared } of hints) {
    for (const id of own) {
      if ((known[id] ?? 0) >= (ends[id] ?? 0)) continue;
      report('hint', `${person} knows session ${id} to ${known[id]}, it ends at ${ends[id]}`);
    }
    const allowed = new Set([...own, ...shared]);
    for (const id of Object.keys(known)) {
      if (!allowed.has(id)) report('foreign', `${person} got a hint about session ${id}`);
    }
  }
}
