import { isTerminal, type Run, type RunState } from '../../src/contract/run.ts';
import type { Counts } from '../../src/queue/store.ts';
import { must } from './broken.ts';
import type { LaneWatch } from './lane-watch.ts';
import type { Record } from './record.ts';

/** Checks all runs: those that must exist do, and finished ones do not change. */
export class RunWatch {
  /** How each run ended. */
  readonly #ends = new Map<string, string>();

  hasEnded(id: string): boolean {
    return this.#ends.has(id);
  }

  check(runs: readonly Run[], record: Record, watches: ReadonlyMap<string, LaneWatch>): void {
    must(runs.length === record.runs.size, 'no run is lost', () => {
      const there = new Set(runs.map(({ id }) => id));
      const lost = [...record.runs.keys()].filter((id) => !there.has(id));
      const extra = [...there].filter((id) => !record.runs.has(id));
      return `missing: ${lost}; unexpected: ${extra}`;
    });
    for (const run of runs) {
      const expected = record.runs.get(run.id);
      must(expected !== undefined, 'no run is lost', () => `unexpected ${run.id}`);
      must(
        run.payload === expected.payload,
        'an edit takes effect',
        () => `${run.id}: ${run.payload}`,
      );
      const watch = watches.get(run.lane);
      checkTries(run, watch?.restarts.get(run.id) ?? 0);
      this.#checkEnd(run, watch?.done.get(run.id));
    }
  }

  #checkEnd(run: Run, doneSeq: number | undefined): void {
    must(
      (doneSeq !== undefined) === isTerminal(run.state),
      'one terminal event',
      () => `${run.id} is ${run.state}, its end is ${doneSeq}`,
    );
    if (doneSeq === undefined) return;
    must(run.lastSeq === doneSeq, 'one terminal event', () => `${run.id}: ${run.lastSeq}`);
    const { state, result, error, finishedAt, attempts, crashes } = run;
    const end = `${state} ${result} ${error?.class} ${finishedAt} ${attempts} ${crashes}`;
    const known = this.#ends.get(run.id);
    must(
      known === undefined || known === end,
      'terminal states never change',
      () => `${run.id}: ${known} became ${end}`,
    );
    this.#ends.set(run.id, end);
  }
}

/** Attempts stay within the limit, and every death of the run's node is counted (Q7, Q14). */
function checkTries({ id, attempts, maxAttempts, crashes, error }: Run, restarts: number): void {
  must(
    attempts >= 0 && attempts <= maxAttempts,
    'attempts ≤ maxAttempts',
    () => `${id}: ${attempts} of ${maxAttempts}`,
  );
  const deaths = restarts + (error?.class === 'poisoned' ? 1 : 0);
  must(crashes === deaths, 'crashes are counted', () => `${id}: ${crashes}, not ${deaths}`);
}

export function checkCounts(runs: readonly Run[], counts: Counts): void {
  const real: Partial<{ [S in RunState]: number }> = {};
  for (const { state } of runs) real[state] = (real[state] ?? 0) + 1;
  for (const [state, count] of Object.entries(counts)) {
    const there = real[state as RunState] ?? 0;
    must(count === there, 'counts are correct', () => `${state}: ${count}, not ${there}`);
  }
}
