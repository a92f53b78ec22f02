import { Broken } from './broken.ts';
import { calm } from './calm.ts';
import { Checker } from './checker.ts';
import { Record } from './record.ts';
import type { StoreMaker } from './sim-store.ts';
import type { Story } from './step.ts';
import { joining, take } from './steps.ts';
import { SimWorker } from './worker.ts';
import { World } from './world.ts';

export interface Told {
  /** Of everything that happened; the same for the same story. */
  readonly hash: string;
  readonly broken: Broken | null;
  /** How many steps were taken until then. */
  readonly steps: number;
}

/** Plays a story to its end and then to rest, looking at everything after every step. */
export async function play(story: Story, maker: StoreMaker): Promise<Told> {
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

/** A simulator that trips over itself is no broken invariant, but it has to be seen as well. */
const asBroken = (error: unknown): Broken =>
  error instanceof Broken
    ? error
    : new Broken('the simulator itself', String((error as Error).stack ?? error));
