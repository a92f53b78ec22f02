import { join } from 'node:path';
import { sqliteQueue } from '../../src/library.ts';
import { drain, fill } from '../baton.ts';
import type { Case } from '../benches.ts';
import { interleave, medians } from '../measure.ts';
import type { Resources } from '../resources.ts';
import { LARGE } from './ordered-drain.ts';

/** The ordered drain in one file, each batch synced to the disk before it counts. */
export const sqlite: Case = async ({ resources, rounds, report }) => {
  const { baton } = medians(await interleave(rounds, { baton: () => drainOnSqlite(resources) }));
  report({ metric: 'ordered drain', value: baton, unit: 'runs/s' });
};

async function drainOnSqlite(resources: Resources): Promise<number> {
  const queue = await sqliteQueue({ path: join(resources.directory(), 'queue.db') });
  const tally = await fill(queue, LARGE);
  const value = await drain(queue, tally, LARGE);
  await queue.close();
  return value;
}
