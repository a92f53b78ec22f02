import type { StoreMaker } from './sim-store.ts';
import { type PlayResult, play } from './simulate.ts';
import { makeStory } from './story.ts';

export interface Failure {
  readonly seed: number;
  readonly result: PlayResult;
}

export interface Search {
  readonly from: number;
  readonly count: number;
  readonly steps: number;
  readonly maker: StoreMaker;
  /** Only this invariant counts; others may break. */
  readonly invariant?: string;
  /** Called after each seed with the number of seeds played. */
  readonly onSeed?: (done: number) => void;
}

/** Plays one seed after another until one breaks an invariant; null if none does. */
export async function search(options: Search): Promise<Failure | null> {
  const { from, count, steps, maker, invariant, onSeed } = options;
  for (let done = 0; done < count; done++) {
    const seed = from + done;
    const result = await play(makeStory(seed, steps), maker);
    const wanted = invariant === undefined || result.broken?.invariant === invariant;
    if (result.broken !== null && wanted) return { seed, result };
    onSeed?.(done + 1);
  }
  return null;
}
