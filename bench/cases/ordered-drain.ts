import { drainOnPostgres } from '../baton.ts';
import type { Case } from '../benches.ts';
import { interleave, medians } from '../measure.ts';
import { drainNamed } from '../peers/graphile-worker.ts';
import { drainKeyed } from '../peers/pg-boss.ts';
import { compare } from '../result.ts';
import type { Workload } from '../workload.ts';

export const LARGE: Workload = { runs: 20_000, lanes: 2000 };
const SMALL: Workload = { runs: 3000, lanes: 2000 };

/** Many runs in order per lane, against the peers' ways to keep an order. */
export const orderedDrain: Case = async ({ place, rounds, report }) => {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => drainOnPostgres(place, LARGE),
      'pg-boss key_strict_fifo': () => drainKeyed(place, LARGE),
      'graphile-worker named queues': () => drainNamed(place, LARGE),
    }),
  );
  compare(report, { metric: 'drain', value: baton, unit: 'runs/s' }, peers);
};

/** Hardly more runs than lanes, where pg-boss is at its best. */
export const orderedDrainSmall: Case = async ({ place, rounds, report }) => {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => drainOnPostgres(place, SMALL),
      'pg-boss key_strict_fifo': () => drainKeyed(place, SMALL),
    }),
  );
  compare(report, { metric: 'drain', value: baton, unit: 'runs/s' }, peers);
};
