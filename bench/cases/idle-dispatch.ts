import { setTimeout as delay } from 'node:timers/promises';
import { makeWorkerUtils } from 'graphile-worker';
import { postgresQueue } from '../../src/library.ts';
import type { Case } from '../benches.ts';
import { now, percentile } from '../measure.ts';
import { silent } from '../peers/graphile-worker.ts';
import type { Started } from '../programs/baton-worker.ts';
import type { Program, Resources } from '../resources.ts';
import { compare } from '../result.ts';
import { mustBe } from '../workload.ts';

const SAMPLES = 300;
const WARM_UP = 20;

interface Contender {
  enqueue(i: number): Promise<unknown>;
  readonly program: Program;
  close(): Promise<void>;
}

/** The time from an enqueue in one process, on an idle queue, until the handler starts in another. */
export const idleDispatch: Case = async ({ resources, report }) => {
  const baton = await openBaton(resources);
  const graphile = await openGraphile(resources);
  const times: Record<'baton' | 'graphile', number[]> = { baton: [], graphile: [] };
  for (let i = -WARM_UP; i < SAMPLES; i++) {
    for (const [name, contender] of Object.entries({ baton, graphile })) {
      const ms = await dispatch(contender, i);
      if (i >= 0) times[name as keyof typeof times].push(ms);
    }
  }
  await baton.close();
  await graphile.close();
  for (const [metric, share] of [
    ['enqueue → start, p50', 0.5],
    ['enqueue → start, p99', 0.99],
  ] as const) {
    compare(
      report,
      { metric, value: percentile(times.baton, share), unit: 'ms' },
      { 'graphile-worker': percentile(times.graphile, share) },
    );
  }
};

async function dispatch({ enqueue, program }: Contender, i: number): Promise<number> {
  // Waits until the queue is idle again, at a random distance from the polls.
  await delay(15 + Math.random() * 30);
  const begun = now();
  const [started] = await Promise.all([program.next(), enqueue(i)]);
  mustBe('the run that started', (started as Started).i, i);
  return (started as Started).at - begun;
}

async function openBaton(resources: Resources): Promise<Contender> {
  const database = await resources.database();
  const queue = await postgresQueue({ url: database.url });
  queue.register('noop', {});
  const program = resources.program('baton-worker', { url: database.url });
  await program.next();
  return {
    enqueue: (i) => queue.enqueue({ type: 'noop', lane: `lane-${i % 100}`, payload: { i } }),
    program,
    close: async () => {
      await program.stop();
      await queue.close();
      await database.drop();
    },
  };
}

async function openGraphile(resources: Resources): Promise<Contender> {
  const database = await resources.database();
  const utils = await makeWorkerUtils({ connectionString: database.url, logger: silent });
  await utils.migrate();
  const program = resources.program('graphile-worker', { url: database.url });
  await program.next();
  return {
    enqueue: (i) => utils.addJob('noop', { i }),
    program,
    close: async () => {
      await program.stop();
      await utils.release();
      await database.drop();
    },
  };
}
