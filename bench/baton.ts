import { setTimeout as delay } from 'node:timers/promises';
import { postgresQueue, type RunQueue, Worker } from '../src/library.ts';
import { now, rate } from './measure.ts';
import type { Resources } from './resources.ts';
import { batches, mustBe, type Payload, Tally, USERS, type Workload } from './workload.ts';

/** Preliminary: 1024 and 2048 did better than 128, 256 and 512 on a busy machine. */
export const CONCURRENCY = 1024;

const ENQUEUE_BATCH = 2000;
/** Events of a no-op run: queued, dequeued, start, finished, done. */
const EVENTS_PER_RUN = 5;

/** Drains a workload that is already enqueued; returns runs per second. */
export async function drain(
  queue: RunQueue,
  tally: Tally,
  { runs }: Workload,
  concurrency = CONCURRENCY,
): Promise<number> {
  const worker = new Worker(queue, { concurrency });
  const begun = now();
  await worker.start();
  await tally.all;
  // The handlers have returned, but the last batch may not be stored yet.
  while ((await queue.counts()).succeeded < runs) await delay(2);
  const ms = now() - begun;
  await worker.stop();
  mustBe('runs that succeeded', (await queue.counts()).succeeded, runs);
  return rate(runs, ms);
}

/** Registers the no-op type and enqueues the workload. */
export async function fill(queue: RunQueue, workload: Workload): Promise<Tally> {
  const tally = new Tally(workload.runs);
  queue.register<Payload>('noop', { run: (payload) => tally.addInOrder(payload) });
  for (const batch of batches(workload, ENQUEUE_BATCH)) {
    await queue.enqueue(
      batch.map(({ i, lane }) => ({
        type: 'noop',
        lane: `lane-${lane}`,
        owner: `user-${lane % USERS}`,
        payload: { i, lane },
      })),
    );
  }
  return tally;
}

/** Enqueues the workload in an empty PostgreSQL database and drains it with one worker, including events. */
export async function drainOnPostgres(resources: Resources, workload: Workload): Promise<number> {
  const database = await resources.database();
  const queue = await postgresQueue({ url: database.url });
  const tally = await fill(queue, workload);
  if (!workload.fresh) await database.vacuum();
  const value = await drain(queue, tally, workload);
  await queue.close();
  const [events] = await database.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM baton.events',
  );
  mustBe('events in the log', events!.n, workload.runs * EVENTS_PER_RUN);
  await database.drop();
  return value;
}
