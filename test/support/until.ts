import { setTimeout as sleep } from 'node:timers/promises';

/** Polling takes processor time from the work it waits for, so it polls less often the longer it waits. */
const SHARE = 0.05;
const LONGEST_PAUSE_MS = 250;

/** Polls a condition, at first every few milliseconds; on timeout it fails with the condition's source. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { ms = 10_000, every = 3 } = {},
): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - start;
    if (waited > ms) throw new Error(`not within ${ms} ms: ${condition}`);
    await sleep(Math.max(every, Math.min(waited * SHARE, LONGEST_PAUSE_MS)));
  }
}
