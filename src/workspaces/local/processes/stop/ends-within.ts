import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a process to exit, but no longer than this; returns whether it has exited. */
export async function endsWithin(exited: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  waiting.abort();
  return ended;
}
