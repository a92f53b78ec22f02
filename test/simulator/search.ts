import type { StoreMaker } from './sim-store.ts';
import { play, type Told } from './simulate.ts';
import { makeStory } from './story.ts';

export interface Found {
  readonly seed: number;
  readonly told: Told;
}

export interface Search {
  readonly from: number;
  readonly count: number;
  readonly steps: number;
  readonly maker: StoreMaker;
  /** Called after each seed with how many are done. */
  readonly onSeed?: (done: number) => void;
}

/** Plays one seed after another until one breaks an invariant; null if none does. */
export async function search({ from, count, steps, maker, onSeed }: Search): Promise<Found | null> {
  for (let done = 0; done < count; done++) {
    const seed = from + done;
    const told = await play(makeStory(seed, steps), maker);
    if (told.broken !== null) return { seed, told };
    onSeed?.(done + 1);
  }
  return null;
}
