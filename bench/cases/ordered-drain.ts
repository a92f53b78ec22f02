import { drainOnPostgres } from '../baton.ts';
import type { Case, Scene } from '../benches.ts';
import { interleave, medians } from '../measure.ts';
import { drainNamed } from '../peers/graphile-worker.ts';
import { drainKeyed } from '../peers/pg-boss.ts';
import { compare } from '../result.ts';
import type { Workload } from '../workload.ts';

export const LARGE: Workload = { runs: 20_000, lanes: 2000 };
const SMALL: Workload = { runs: 3000, lanes: 2000 };

/** Many ordered runs per lane, against the peers' ordered modes. */
export const orderedDrain: Case = (scene) => drainAll(scene, LARGE);

/**
 * The same right after a burst into empty tables, to see how much each contender depends on VACUUM
 * and ANALYZE.
 */
export const orderedDrainFresh: Case = (scene) => drainAll(scene, { ...LARGE, fresh: true });

async function drainAll({ resources, rounds, report }: Scene, workload: Workload): Promise<void> {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => drainOnPostgres(resources, workload),
      'pg-boss key_strict_fifo': () => drainKeyed(resources, workload),
      'graphile-worker named queues': () => drainNamed(resources, workload),
    }),
  );
  compare(report, { metric: 'drain', value: baton, unit: 'runs/s' }, peers);
}

/** Few more runs than lanes, the best case for pg-boss. */
export const orderedDrainSmall: Case = async ({ resources, rounds, report }) => {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => drainOnPostgres(resources, SMALL),
      'pg-boss key_strict_fifo': () => drainKeyed(resources, SMALL),
    }),
  );
  compare(report, { metric: 'drain', value: baton, unit: 'runs/s' }, peers);
};
