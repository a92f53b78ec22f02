import { memoryQueue } from '../../src/library.ts';
import { drain } from '../baton.ts';
import type { Case } from '../benches.ts';
import { interleave, medians, now, rate } from '../measure.ts';
import { addAndDrain, pushAndDrain } from '../peers/p-queue.ts';
import { compare } from '../result.ts';
import { mustBe, Tally } from '../workload.ts';

const TASKS = 100_000;
/** The same for all contenders. */
const CONCURRENCY = 64;
/** Runs enqueued in one call. */
const BATCH = 1000;

/** No-op tasks, added and executed in one process without a database. */
export const memory: Case = async ({ rounds, report }) => {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: enqueueAndDrain,
      'p-queue': () => addAndDrain(TASKS, CONCURRENCY),
      fastq: () => pushAndDrain(TASKS, CONCURRENCY),
    }),
  );
  compare(report, { metric: 'add and drain', value: baton, unit: 'tasks/s' }, peers);
};

async function enqueueAndDrain(): Promise<number> {
  const queue = memoryQueue();
  const tally = new Tally(TASKS);
  queue.register('noop', { run: () => tally.add() });
  const requests = Array.from({ length: TASKS }, (_, i) => ({ type: 'noop', payload: i }));
  const begun = now();
  for (let i = 0; i < TASKS; i += BATCH) await queue.enqueue(requests.slice(i, i + BATCH));
  await drain(queue, tally, { runs: TASKS, lanes: TASKS }, CONCURRENCY);
  const value = rate(TASKS, now() - begun);
  mustBe('tasks executed', tally.count, TASKS);
  await queue.close();
  return value;
}
