import { drainOnPostgres } from '../baton.ts';
import type { Case, Scene } from '../benches.ts';
import { interleave, medians } from '../measure.ts';
import { drainNamed } from '../peers/graphile-worker.ts';
import { drainKeyed } from '../peers/pg-boss.ts';
import { compare } from '../result.ts';
import type { Workload } from '../workload.ts';

export const LARGE: Workload = { runs: 20_000, lanes: 2000 };
const SMALL: Workload = { runs: 3000, lanes: 2000 };

/** Many runs in order per lane, against the peers' ways to keep an order. */
export const orderedDrain: Case = (scene) => drainAll(scene, LARGE);

/**
 * The same right after a burst into empty tables, which were neither vacuumed nor analysed: how much
 * does each contender depend on that?
 */
export const orderedDrainFresh: Case = (scene) => drainAll(scene, { ...LARGE, fresh: true });

async function drainAll({ place, rounds, report }: Scene, workload: Workload): Promise<void> {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => drainOnPostgres(place, workload),
      'pg-boss key_strict_fifo': () => drainKeyed(place, workload),
      'graphile-worker named queues': () => drainNamed(place, workload),
    }),
  );
  compare(report, { metric: 'drain', value: baton, unit: 'runs/s' }, peers);
}

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
