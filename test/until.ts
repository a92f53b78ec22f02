import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, looking every few milliseconds; fails with its text after the deadline. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { ms = 10_000, every = 3 } = {},
): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${condition}`);
    await sleep(every);
  }
}
