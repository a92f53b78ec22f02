import type { NodeView } from '../../src/contract/node.ts';

/** People notice delays longer than this. */
const DELAY_MS = 250;

/** `offline`: its lease has expired; `busy`: it responds late, or all its slots are taken. */
export function healthOf({
  alive,
  load,
  capacity,
  executing,
}: NodeView): 'healthy' | 'busy' | 'offline' {
  if (!alive) return 'offline';
  const isFull = capacity > 0 && executing >= capacity;
  return isFull || (load?.eventLoopDelayMs ?? 0) > DELAY_MS ? 'busy' : 'healthy';
}

/** Negative if `at` is in the future; clocks may differ a little. */
export const secondsSince = (at: string, now: number): number =>
  Math.round((now - Date.parse(at)) / 1000);

export const bytes = (count: number): string =>
  count < 1e9 ? `${Math.round(count / 1e6)} MB` : `${(count / 1e9).toFixed(1)} GB`;
