import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessTable } from '../process-table.ts';
import type { Family } from '../process-tree.ts';
import { send } from './signal.ts';

/** Others may start processes at the same time. */
const NEWEST = 4;
const PROBES = 5;
const PAUSE_MS = 2;
const LONGEST_MS = 100;

/**
 * A chain of processes that each start the next one and end is in no list: whoever is listed has
 * ended before he is looked at. But its newest one is among the newest of the machine. Kills that
 * one if it is ours; true if it was.
 */
export function probe(table: ProcessTable, family: Family): boolean {
  const newest = table.newest() ?? 0;
  for (let pid = newest; pid > Math.max(1, newest - NEWEST); pid--) {
    if (!family.isMarked(pid)) continue;
    // The mark was read a moment ago, which proves whose it is.
    send(pid, 'SIGKILL');
    return true;
  }
  return false;
}

/** Probes until no chain can be there; true if there was one. */
export async function hunt(table: ProcessTable, family: Family): Promise<boolean> {
  const deadline = performance.now() + LONGEST_MS;
  let found = false;
  let last: number | null = -1;
  for (let misses = 0; misses < PROBES && performance.now() < deadline; ) {
    const newest = table.newest();
    if (probe(table, family)) {
      found = true;
      misses = 0;
      continue;
    }
    // Nothing was started since the last probe.
    if (newest === last) break;
    last = newest;
    misses++;
    await sleep(PAUSE_MS);
  }
  return found;
}
