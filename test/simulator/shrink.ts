import type { StoreMaker } from './sim-store.ts';
import { play } from './simulate.ts';
import type { Step, Story } from './step.ts';

/**
 * Searches for the shortest list of steps that still breaks the same invariant: removes pieces, first
 * half of the list, finally single steps, for as long as that makes it shorter.
 */
export async function shrink(story: Story, invariant: string, maker: StoreMaker): Promise<Story> {
  const breaks = async (steps: readonly Step[]): Promise<boolean> =>
    (await play({ ...story, steps }, maker)).broken?.invariant === invariant;
  let steps = story.steps;
  for (let size = Math.ceil(steps.length / 2); ; ) {
    const shorter = await withoutOnePiece(steps, size, breaks);
    if (shorter !== null) steps = shorter;
    else if (size === 1) return { ...story, steps };
    else size = Math.ceil(size / 2);
  }
}

async function withoutOnePiece(
  steps: readonly Step[],
  size: number,
  breaks: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[] | null> {
  // From the end: steps after the failure are removed first.
  for (let from = Math.max(0, steps.length - size); ; from = Math.max(0, from - size)) {
    const rest = steps.toSpliced(from, size);
    if (rest.length < steps.length && (await breaks(rest))) return rest;
    if (from === 0) return null;
  }
}
