import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessTable } from '../process-table.ts';
import type { ProcessTree } from '../process-tree.ts';
import { send } from './signal.ts';

/** How many of the newest pids to check, because unrelated processes may start at the same time. */
const NEWEST = 4;
const PROBES = 5;
const PAUSE_MS = 2;
const LONGEST_MS = 100;

/** The machine's newest pids, some of which may already be gone. */
export function newestPids(table: ProcessTable): number[] {
  const newest = table.newest() ?? 0;
  return Array.from({ length: NEWEST }, (_, n) => newest - n).filter((pid) => pid > 1);
}

/**
 * A chain of processes, each of which starts the next one and exits, never shows up in a listing: a
 * listed process has exited by the time it is read. But the chain's newest member is among the
 * machine's newest processes. If that process is ours, kills it and returns true.
 */
export function killIfNewest(table: ProcessTable, tree: ProcessTree): boolean {
  for (const pid of newestPids(table)) {
    if (!tree.isTagged(pid)) continue;
    // The process's tag has just been read, so the pid is still ours.
    send(pid, 'SIGKILL');
    return true;
  }
  return false;
}

/** Repeats until no chain can be left; returns whether it killed anything. */
export async function killNewest(table: ProcessTable, tree: ProcessTree): Promise<boolean> {
  const deadline = performance.now() + LONGEST_MS;
  let killed = false;
  let last: number | null = -1;
  for (let misses = 0; misses < PROBES && performance.now() < deadline; ) {
    const newest = table.newest();
    if (killIfNewest(table, tree)) {
      killed = true;
      misses = 0;
      continue;
    }
    // Nothing has started since the last check.
    if (newest === last) break;
    last = newest;
    misses++;
    await sleep(PAUSE_MS);
  }
  return killed;
}
