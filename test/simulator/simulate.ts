import { Broken } from './broken.ts';
import { calm } from './calm.ts';
import { Checker } from './checker.ts';
import { Record } from './record.ts';
import type { StoreMaker } from './sim-store.ts';
import type { Story } from './step.ts';
import { joining, take } from './steps.ts';
import { SimWorker } from './worker.ts';
import { World } from './world.ts';

export interface PlayResult {
  /** Hash of the trace; the same for the same story. */
  readonly hash: string;
  readonly broken: Broken | null;
  /** The number of steps taken. */
  readonly steps: number;
}

/** Plays a story until all its runs have ended, checking everything after every step. */
export async function play(story: Story, maker: StoreMaker): Promise<PlayResult> {
  const world = new World(story);
  world.sim = maker(world.clock);
  world.record = new Record();
  world.checker = new Checker(world);
  let steps = 0;
  try {
    for (const plan of story.workers) world.workers.push(new SimWorker(world, plan));
    for (let i = 0; i < story.workers.length; i++) await take(world, joining(i));
    for (const step of story.steps) {
      steps++;
      world.trace.add(`${step.do} ${await take(world, step)} ${world.now}`);
      await world.checker.check();
    }
    await calm(world);
  } catch (error) {
    return { hash: world.trace.toString(), broken: asBroken(error), steps };
  }
  return { hash: world.trace.toString(), broken: null, steps };
}

/** An error in the simulator itself is not a broken invariant, but must be reported too. */
const asBroken = (error: unknown): Broken =>
  error instanceof Broken
    ? error
    : new Broken('the simulator itself', String((error as Error).stack ?? error));
