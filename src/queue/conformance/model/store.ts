import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Clock, Store } from '../../store.ts';
import { anyStep, begin } from './commands.ts';

export interface ModelOptions {
  readonly numRuns: number;
  readonly maxCommands?: number;
  /** Must leave time to search for the shortest failing story. */
  readonly timeoutMs?: number;
}

/**
 * Plays random stories on a store and on a simple model of it, and compares the two after every
 * step. A failure prints its seed and the shortest story that reproduces it.
 */
export function storeModel(
  name: string,
  open: (clock: Clock) => Promise<Store>,
  { numRuns, maxCommands = 80, timeoutMs = 180_000 }: ModelOptions,
): void {
  describe(`${name} store against its model`, () => {
    it(
      '[Q1] [Q2] [Q3] [Q6] [Q7] [Q8] [Q12] [Q22] [E1] any story ends as it does in the model',
      async () => {
        const stories = fc.commands([anyStep], { maxCommands, size: 'max' });
        const property = fc.asyncProperty(stories, async (story) => {
          const clock = { now: 0 };
          const store = await open(() => clock.now);
          try {
            const model = await begin(store, clock);
            await fc.asyncModelRun(() => ({ model, real: { store, clock } }), story);
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
