import { drainOnPostgres } from '../baton.ts';
import type { Case } from '../benches.ts';
import { interleave, medians } from '../measure.ts';
import { drainUnordered } from '../peers/graphile-worker.ts';
import { drainStandard } from '../peers/pg-boss.ts';
import { compare } from '../result.ts';
import { LARGE } from './ordered-drain.ts';

/** Baton keeps order, fairness and a log; the peers keep none of them here. */
export const unorderedDrain: Case = async ({ resources, rounds, report }) => {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => drainOnPostgres(resources, LARGE),
      'graphile-worker local queue': () => drainUnordered(resources, LARGE),
      'pg-boss standard': () => drainStandard(resources, LARGE),
    }),
  );
  compare(report, { metric: 'ordered drain', value: baton, unit: 'runs/s' }, peers);
};
