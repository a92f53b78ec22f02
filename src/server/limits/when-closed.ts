import type { Writable } from 'node:stream';

/**
 * Calls `release` once the response or connection is closed. Works even if it is already closed,
 * although `close` is emitted only once.
 */
export function whenClosed(raw: Writable, release: () => void): void {
  if (raw.destroyed || raw.closed) release();
  else raw.once('close', release);
}
