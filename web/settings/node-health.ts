import type { NodeView } from '../../src/contract/node.ts';

/** A person feels an answer that is later than this. */
const DELAY_MS = 250;

/** `away`: its lease has ended; `busy`: it answers late, or has begun all it may. */
export function healthOf({ alive, load, capacity, executing }: NodeView): 'good' | 'busy' | 'away' {
  if (!alive) return 'away';
  const isFull = capacity > 0 && executing >= capacity;
  return isFull || (load?.eventLoopDelayMs ?? 0) > DELAY_MS ? 'busy' : 'good';
}

/** Negative before it; clocks may differ a little. */
export const secondsSince = (at: string, now: number): number =>
  Math.round((now - Date.parse(at)) / 1000);

export const bytes = (count: number): string =>
  count < 1e9 ? `${Math.round(count / 1e6)} MB` : `${(count / 1e9).toFixed(1)} GB`;
