import fc from 'fast-check';
import { describe, it } from 'vitest';
import { newId } from '../../../contract/values/ids.ts';
import type { OpenAt } from '../rig.ts';
import { anyStep, begin, type Real } from './steps.ts';
import { World } from './world.ts';

export interface ModelOptions {
  readonly numRuns: number;
  readonly maxCommands?: number;
  /** Leaves enough time to search for the shortest failing story. */
  readonly timeoutMs?: number;
}

/**
 * Plays random stories on a store and on a simple model of it at once, and compares the two after
 * every step. A failure prints its seed and the shortest story that shows it.
 */
export function sessionModel(
  name: string,
  open: OpenAt,
  { numRuns, maxCommands = 120, timeoutMs = 300_000 }: ModelOptions,
): void {
  describe(`${name} session store against its model`, () => {
    it(
      '[S1] [S3] [S4] [S5] [S8] [S9] [S12] [E1] any story ends as it does in the model',
      async () => {
        const stories = fc.commands([anyStep], { maxCommands, size: 'max' });
        const property = fc.asyncProperty(stories, async (story) => {
          const clock = { now: 0 };
          const store = await open(newId(), () => clock.now);
          try {
            const model = new World();
            const real: Real = { store, clock, held: new Map() };
            await begin(model, real);
            await fc.asyncModelRun(() => ({ model, real }), story);
          } finally {
            await store.close();
          }
        });
        await fc.assert(property, { numRuns });
      },
      timeoutMs,
    );
  });
}
