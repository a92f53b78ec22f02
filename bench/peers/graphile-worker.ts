import { setTimeout as delay } from 'node:timers/promises';
import { Logger, makeWorkerUtils, run, type TaskList } from 'graphile-worker';
import { now, rate } from '../measure.ts';
import type { Database, Resources } from '../resources.ts';
import { batches, type Payload, Tally, TIME_BOX_MS, type Workload } from '../workload.ts';

interface Use {
  readonly named: boolean;
  readonly concurrentJobs: number;
  readonly localQueue: number;
}

/** Not tuned yet: other settings may be faster. */
const UNORDERED: Use = { named: false, concurrentJobs: 24, localQueue: 500 };
/** The best of the few settings tried, which docs/benchmarks.md lists. */
const NAMED: Use = { named: true, concurrentJobs: 100, localQueue: 500 };

const ADD_BATCH = 1000;

export const silent = new Logger(() => () => {});

export const drainUnordered = (resources: Resources, workload: Workload): Promise<number> =>
  drainWith(resources, workload, UNORDERED);

export const drainNamed = (resources: Resources, workload: Workload): Promise<number> =>
  drainWith(resources, workload, NAMED);

export async function drainWith(
  resources: Resources,
  workload: Workload,
  use: Use,
): Promise<number> {
  const database = await resources.database();
  await add(database, workload, use.named);
  if (!workload.fresh) await database.vacuum();

  const tally = new Tally(workload.runs);
  const taskList: TaskList = {
    noop: (payload) => (use.named ? tally.addInOrder(payload as Payload) : tally.add()),
  };
  const box = new AbortController();
  const begun = now();
  const runner = await run({
    taskList,
    preset: {
      worker: {
        connectionString: database.url,
        concurrentJobs: use.concurrentJobs,
        maxPoolSize: 10,
        localQueue: { size: use.localQueue },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        logger: silent,
      },
    },
    noHandleSignals: true,
  });
  let failure: unknown = null;
  runner.events.on('job:error', ({ error }) => {
    failure ??= error;
  });
  const late = delay(TIME_BOX_MS, undefined, { signal: box.signal }).catch(() => {});
  await Promise.race([tally.all, late]);
  box.abort();
  // Completed jobs are deleted.
  while (tally.count === workload.runs && (await left(database)) > 0) await delay(2);
  const done = workload.runs - (await left(database));
  const ms = now() - begun;
  await runner.stop();
  if (failure !== null) throw failure;
  await database.drop();
  return rate(done, ms);
}

async function add(database: Database, workload: Workload, named: boolean): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString: database.url, logger: silent });
  await utils.migrate();
  // By default jobs of one call have the same time, and nothing else orders the jobs of a queue.
  const first = Date.now() - workload.runs;
  for (const batch of batches(workload, ADD_BATCH)) {
    await utils.addJobs(
      batch.map((payload) => ({
        identifier: 'noop',
        payload,
        runAt: new Date(first + payload.i),
        ...(named ? { queueName: `lane-${payload.lane}` } : {}),
      })),
    );
  }
  await utils.release();
}

async function left(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM graphile_worker._private_jobs',
  );
  return row!.n;
}
