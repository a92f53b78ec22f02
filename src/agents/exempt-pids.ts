import type { ProcessTable } from './process-table.ts';

/**
 * This process, those it was started by and those it has started. A server may itself have been
 * started by an agent, and must not find itself when it looks for leftovers.
 */
export const isSpared = (table: ProcessTable, pid: number): boolean =>
  line(table, process.pid).has(pid) || line(table, pid).has(process.pid);

/** A process and its parents, as far as they can be seen. */
function line(table: ProcessTable, pid: number): Set<number> {
  const found = new Set<number>();
  for (let next = pid; next > 0 && !found.has(next); next = table.look(next)?.parent ?? 0) {
    found.add(next);
  }
  return found;
}
