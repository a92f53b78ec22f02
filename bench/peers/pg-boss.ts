import { type JobInsert, PgBoss } from 'pg-boss';
import { now, rate } from '../measure.ts';
import type { Database, Place } from '../place.ts';
import { batches, mustBe, type Payload, Tally, TIME_BOX_MS, type Workload } from '../workload.ts';

/*
 * Jobs are fetched and completed in batches by loops of their own: `work()` does the same, but rests
 * for half a second whenever a batch was not full. A table of its own for the queue (`partition`) is
 * what pg-boss advises for large ones.
 */

interface Use {
  readonly policy: 'standard' | 'key_strict_fifo';
  readonly batchSize: number;
  readonly loops: number;
}

/** Not tuned yet: others may be faster. */
const STANDARD: Use = { policy: 'standard', batchSize: 1000, loops: 2 };
/** The best of the few settings tried; docs/benchmarks.md names them. */
const KEYED: Use = { policy: 'key_strict_fifo', batchSize: 1000, loops: 1 };

const QUEUE = 'bench';
const INSERT_BATCH = 2000;

export const drainStandard = (place: Place, workload: Workload): Promise<number> =>
  drainWith(place, workload, STANDARD);

export const drainKeyed = (place: Place, workload: Workload): Promise<number> =>
  drainWith(place, workload, KEYED);

export async function drainWith(place: Place, workload: Workload, use: Use): Promise<number> {
  const database = await place.database();
  const boss = new PgBoss({
    connectionString: database.url,
    max: 10,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(QUEUE, { policy: use.policy, partition: true });
  for (const batch of batches(workload, INSERT_BATCH)) {
    await boss.insert(
      QUEUE,
      batch.map(
        (payload): JobInsert => ({
          id: orderedId(payload.i),
          data: payload,
          ...(use.policy === 'standard' ? {} : { singletonKey: `lane-${payload.lane}` }),
        }),
      ),
    );
  }
  if (!workload.fresh) await database.settle();

  const tally = new Tally(workload.runs);
  const begun = now();
  const loops = Array.from({ length: use.loops }, () => drainLoop(boss, use, tally, begun));
  await Promise.all(loops);
  const ms = now() - begun;
  mustBe('jobs that pg-boss completed', await completed(database), tally.count);
  if (ms < TIME_BOX_MS) mustBe('jobs that pg-boss executed', tally.count, workload.runs);
  await boss.stop({ graceful: false });
  await database.drop();
  return rate(tally.count, ms);
}

async function drainLoop(boss: PgBoss, use: Use, tally: Tally, begun: number): Promise<void> {
  let empty = 0;
  // Empty twice: the first may have met heads that another loop was just completing.
  while (empty < 2 && now() - begun < TIME_BOX_MS) {
    const jobs = await boss.fetch<Payload>(QUEUE, { batchSize: use.batchSize });
    empty = jobs.length === 0 ? empty + 1 : 0;
    if (jobs.length === 0) continue;
    for (const { data } of jobs) {
      if (use.policy === 'standard') tally.add();
      else tally.addInOrder(data);
    }
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
  }
}

/**
 * Jobs of one insert have the same time, and then their ids decide. Random ones, as pg-boss makes
 * them, would not keep the order.
 */
const orderedId = (i: number): string =>
  `00000000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`;

async function completed(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pgboss.job WHERE name = '${QUEUE}' AND state = 'completed'`,
  );
  return row!.n;
}
