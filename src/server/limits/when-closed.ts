import type { Writable } from 'node:stream';

/**
 * Calls `release` once the response or connection is closed, which it may be already: `close` is
 * emitted only once.
 */
export function whenClosed(raw: Writable, release: () => void): void {
  if (raw.destroyed || raw.closed) release();
  else raw.once('close', release);
}
