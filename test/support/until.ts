import { setTimeout as sleep } from 'node:timers/promises';

/** Looking costs what is waited for its processor, most of all over HTTP: less often, the longer it takes. */
const SHARE = 0.05;
const SELDOM_MS = 250;

/** Waits for a condition, first looking every few milliseconds; fails with its text after the deadline. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { ms = 10_000, every = 3 } = {},
): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - start;
    if (waited > ms) throw new Error(`not within ${ms} ms: ${condition}`);
    await sleep(Math.max(every, Math.min(waited * SHARE, SELDOM_MS)));
  }
}
