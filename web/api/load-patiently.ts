import { keep, kept } from '../state/stored.ts';
import { connection } from './live.ts';

/* Parts of the app that are loaded when they are needed, which may be while the server is away. */

const RELOADED = 'baton.reloaded';
/** A reload that did not help is not tried again so soon. */
const RELOAD_MS = 60_000;
/** Also when the connection seems to be there. */
const PAUSE_MS = 500;

/**
 * What `load` imports; if it cannot be had, once more when the server is there again. If it then still
 * cannot, the server has other files by now, or the browser remembers the failure: a new page helps.
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
      const before = Number(kept(RELOADED, 'tab') ?? 0);
      const isSoon = Date.now() - before < RELOAD_MS;
      // What cannot be remembered would be done for ever.
      if (isSoon || !keep(RELOADED, String(Date.now()), 'tab')) throw error;
      location.reload();
      throw error;
    }
  }
}

function connected(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (connection.get() !== 'connected') return;
      stop();
      resolve();
    };
    const stop = connection.subscribe(look);
    look();
  });
}
