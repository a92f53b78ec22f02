import type { ServerResponse } from 'node:http';

/** Calls `release` once the response is closed, which it may be already: `close` is emitted only once. */
export function whenClosed(raw: ServerResponse, release: () => void): void {
  if (raw.destroyed || raw.closed) release();
  else raw.once('close', release);
}
