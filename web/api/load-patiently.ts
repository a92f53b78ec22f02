import { readStored, writeStored } from '../state/stored.ts';
import { connection } from './live.ts';

/* Parts of the app are loaded on demand, perhaps while the server is unreachable. */

const RELOADED = 'baton.reloaded';
/** Minimum time between two reloads. */
const RELOAD_MS = 60_000;
/** How long to wait before the retry, even if the connection seems to work. */
const PAUSE_MS = 500;

/**
 * Calls `load`; if that fails, retries once when the server is reachable again. If the retry fails
 * as well, the server was updated or the browser has cached the failure, so the page is reloaded.
 */
export async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    await connected();
    try {
      return await load();
    } catch (error) {
      const before = Number(readStored(RELOADED, 'tab') ?? 0);
      const isSoon = Date.now() - before < RELOAD_MS;
      // If the reload could not be recorded, the page would reload forever.
      if (isSoon || !writeStored(RELOADED, String(Date.now()), 'tab')) throw error;
      location.reload();
      throw error;
    }
  }
}

function connected(): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (connection.get() !== 'connected') return;
      stop();
      resolve();
    };
    const stop = connection.subscribe(check);
    check();
  });
}
