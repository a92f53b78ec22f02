import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '../queue/node/database-watch.ts';

const FIRST_MS = 100;
const MOST_MS = 2000;

/**
 * Does something in the database, again and again while it is away: an agent's work is not thrown
 * away for an outage that its lease outlives (O5). Once `signal` is aborted the next failure counts.
 */
export async function retryWhileAway<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(2 * waitMs, MOST_MS)) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}
