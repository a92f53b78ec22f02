import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '../queue/membership/database-watch.ts';

const FIRST_MS = 100;
const MOST_MS = 2000;

/**
 * Retries an operation while the database is unavailable, so that an agent's work survives an
 * outage shorter than its lease (O5). After `signal` is aborted, the next failure is final.
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
