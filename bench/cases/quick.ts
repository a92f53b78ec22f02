import { join as joinPath } from 'node:path';
import { memoryStore } from '../../src/queue/memory/store.ts';
import { RunQueue } from '../../src/queue/run-queue.ts';
import type { Store } from '../../src/queue/store.ts';
import { postgresStore } from '../../src/storage/postgres/store.ts';
import { sqliteStore } from '../../src/storage/sqlite/store.ts';
import { claimTimes } from '../backlog.ts';
import { fill } from '../baton.ts';
import type { Case } from '../benches.ts';
import { interleave, medians, now, rate } from '../measure.ts';
import { claim, finish, join } from '../node.ts';
import type { Resources } from '../resources.ts';
import { mustBe, type Workload } from '../workload.ts';

const WORKLOAD: Workload = { runs: 5000, lanes: 500 };
const BATCH = 64;

/** A few figures for a quick check of the stores, without workers and peers. */
export const quick: Case = async ({ resources, rounds, report }) => {
  const rates = medians(
    await interleave(rounds, {
      memory: () => claimAndFinish(memoryStore()),
      SQLite: async () =>
        claimAndFinish(await sqliteStore({ path: joinPath(resources.directory(), 'queue.db') })),
      PostgreSQL: () => onPostgres(resources),
    }),
  );
  for (const [store, value] of Object.entries(rates)) {
    report({ metric: `claim and finish, ${store}`, value, unit: 'runs/s' });
  }
  const times = await claimTimes(
    resources,
    {
      '1 k': { lanes: 100, users: 100 },
      '100 k': { lanes: 10_000, users: 100 },
      '1 M': { lanes: 100_000, users: 100 },
    },
    100,
  );
  for (const [size, value] of Object.entries(times)) {
    report({ metric: `claim of 8, ${size} queued, PostgreSQL`, value, unit: 'ms' });
  }
};

async function onPostgres(resources: Resources): Promise<number> {
  const database = await resources.database();
  const value = await claimAndFinish(await postgresStore({ url: database.url }));
  await database.drop();
  return value;
}

async function claimAndFinish(store: Store): Promise<number> {
  await fill(new RunQueue(store), WORKLOAD);
  await join(store, BATCH);
  const begun = now();
  for (let left = WORKLOAD.runs; left > 0; ) {
    const claimed = await claim(store, BATCH);
    if (claimed.length === 0) throw new Error(`nothing claimed with ${left} queued`);
    await finish(store, claimed);
    left -= claimed.length;
  }
  const value = rate(WORKLOAD.runs, now() - begun);
  mustBe('runs that succeeded', (await store.counts()).succeeded, WORKLOAD.runs);
  await store.close();
  return value;
}
