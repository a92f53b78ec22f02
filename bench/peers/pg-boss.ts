import { type JobInsert, PgBoss } from 'pg-boss';
import { now, rate } from '../measure.ts';
import type { Database, Resources } from '../resources.ts';
import { batches, mustBe, type Payload, Tally, TIME_BOX_MS, type Workload } from '../workload.ts';

/*
 * Our own loops fetch and complete jobs in batches. `work()` does the same, but sleeps for half a
 * second after each batch that is not full. The queue has its own table (`partition`), as pg-boss
 * advises for large queues.
 */

interface Use {
  readonly policy: 'standard' | 'key_strict_fifo';
  readonly batchSize: number;
  readonly loops: number;
}

/** Not tuned yet: other settings may be faster. */
const STANDARD: Use = { policy: 'standard', batchSize: 1000, loops: 2 };
/** The best of the few settings tried, which docs/benchmarks.md lists. */
const KEYED: Use = { policy: 'key_strict_fifo', batchSize: 1000, loops: 1 };

const QUEUE = 'bench';
const INSERT_BATCH = 2000;

export const drainStandard = (resources: Resources, workload: Workload): Promise<number> =>
  drainWith(resources, workload, STANDARD);

export const drainKeyed = (resources: Resources, workload: Workload): Promise<number> =>
  drainWith(resources, workload, KEYED);

export async function drainWith(
  resources: Resources,
  workload: Workload,
  use: Use,
): Promise<number> {
  const database = await resources.database();
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
  if (!workload.fresh) await database.vacuum();

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
  // Until it is empty twice: the first time another loop may just be completing the heads.
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
 * Jobs of one insert have the same time, so their ids decide. The random ids of pg-boss would not
 * keep the order.
 */
const orderedId = (i: number): string =>
  `00000000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`;

async function completed(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pgboss.job WHERE name = '${QUEUE}' AND state = 'completed'`,
  );
  return row!.n;
}
