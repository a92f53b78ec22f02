import { isTerminal } from '../../src/contract/run.ts';
import { must } from './broken.ts';
import { answerAndResumeAll, switchAll } from './person.ts';
import type { Call } from './step.ts';
import { renewAll, take } from './steps.ts';
import type { World } from './world.ts';

const ROUND_MS = 1000;
/** Long enough for the lease of a dead node to expire and for every retry delay. */
const ROUNDS = 80;

/**
 * The end of a story: nothing fails or is stopped any more, every worker is alive, questions are
 * answered and lanes resumed. Then every run must end, by polling alone, within a bounded time: a
 * lease, the longest delay, and a few rounds for each unfinished run.
 */
export async function calm(world: World): Promise<void> {
  for (const request of world.late.splice(0)) {
    await request();
    await world.checker.check();
  }
  await switchAll(world, false, null);
  for (const worker of world.workers) worker.pausedUntil = 0;
  const unfinished = (): number =>
    world.checker.view.runs.filter(({ state }) => !isTerminal(state)).length;
  const most = ROUNDS + 4 * unfinished();
  for (let round = 0; unfinished() > 0; round++) {
    must(round < most, 'every runnable lane starts in bounded time', () =>
      world.checker.view.runs
        .filter(({ state }) => !isTerminal(state))
        .map(({ id, lane, state }) => `${id} of ${lane} is ${state}`)
        .join(', '),
    );
    world.now += ROUND_MS;
    await renewAll(world);
    await answerAndResumeAll(world);
    for (let i = 0; i < world.workers.length; i++) await turn(world, i);
  }
}

async function turn(world: World, worker: number): Promise<void> {
  if (world.workers[worker]?.alive !== true) await take(world, { do: 'start', worker });
  const call = (name: Call): Promise<string> =>
    take(world, { do: 'call', worker, call: name, upTo: 'answered', fault: null });
  await call('member');
  await call('poll');
  await call('takeOver');
  await call('claim');
  await world.checker.check();
  const open = world.workers[worker]?.executions.length ?? 0;
  // From the last to the first: a handler that returns leaves the list.
  for (let pick = open - 1; pick >= 0; pick--) {
    await take(world, { do: 'work', worker, pick, what: 'return', outcome: 'succeeded' });
  }
  // First the batch in progress, then the writes added since.
  await call('write');
  await call('write');
  await world.checker.check();
}
