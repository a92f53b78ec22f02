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
  /** Goes on if another invariant than this is broken. */
  readonly invariant?: string;
  /** Called after each seed with how many are done. */
  readonly onSeed?: (done: number) => void;
}

/** Plays one seed after another until one breaks an invariant; null if none does. */
export async function search(options: Search): Promise<Found | null> {
  const { from, count, steps, maker, invariant, onSeed } = options;
  for (let done = 0; done < count; done++) {
    const seed = from + done;
    const told = await play(makeStory(seed, steps), maker);
    const wanted = invariant === undefined || told.broken?.invariant === invariant;
    if (told.broken !== null && wanted) return { seed, told };
    onSeed?.(done + 1);
  }
  return null;
}
