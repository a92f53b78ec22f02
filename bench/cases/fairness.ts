import { setTimeout as delay } from 'node:timers/promises';
import { postgresQueue, type RunRequest, Worker } from '../../src/library.ts';
import type { Case } from '../benches.ts';
import { median, now } from '../measure.ts';
import type { Resources } from '../resources.ts';

const BACKLOG = 10_000;
const OTHERS = 99;
const SLOTS = 4;
const RUN_MS = 100;

/** Q4: with U users waiting and N slots a user's first run starts within ⌈U/N⌉+1 run times. */
const BOUND = Math.ceil((OTHERS + 1) / SLOTS) + 1;

interface Worst {
  /** Starts of other runs in that time, in run times of all slots. */
  readonly runTimes: number;
  readonly ms: number;
}

/** One user has many queued runs and is being served when 99 others enqueue one run each. */
export const fairness: Case = async ({ resources, rounds, report }) => {
  const worst: Worst[] = [];
  for (let round = 0; round < rounds; round++) worst.push(await measure(resources));
  const runTimes = median(worst.map((one) => one.runTimes));
  report({ metric: 'worst first start', value: runTimes, unit: 'run times' });
  report({ metric: 'bound of Q4', value: BOUND, unit: 'run times' });
  const ms = median(worst.map((one) => one.ms));
  report({ metric: `worst first start, runs of ${RUN_MS} ms`, value: ms, unit: 'ms' });
  if (runTimes > BOUND) throw new Error('the bound of Q4 does not hold');
};

async function measure(resources: Resources): Promise<Worst> {
  const database = await resources.database();
  const queue = await postgresQueue({ url: database.url });
  const starts: { owner: string; at: number }[] = [];
  queue.register('noop', {
    run: (_, { run }) => {
      starts.push({ owner: run.owner, at: now() });
      return delay(RUN_MS);
    },
  });
  // A lane for each run: all of them could start at once.
  const request = (owner: string, i: number): RunRequest => ({
    type: 'noop',
    owner,
    lane: `${owner}-${i}`,
  });
  await queue.enqueue(Array.from({ length: BACKLOG }, (_, i) => request('busy', i)));
  await database.vacuum();
  const worker = new Worker(queue, { concurrency: SLOTS });
  await worker.start();
  while (starts.length < 2 * SLOTS) await delay(5);

  await queue.enqueue(Array.from({ length: OTHERS }, (_, i) => request(`user-${i}`, 0)));
  const begun = now();
  const before = starts.length;
  const missing = (): number => OTHERS - starts.filter(({ owner }) => owner !== 'busy').length;
  while (missing() > 0) await delay(5);
  await worker.stop();
  await queue.close();
  await database.drop();
  const last = starts.findLastIndex(({ owner }) => owner !== 'busy');
  return { runTimes: (last - before + 1) / SLOTS, ms: starts[last]!.at - begun };
}
