import type { ProcessTable } from './process-table.ts';

/**
 * This process, its ancestors and its descendants are exempt: an agent may have started this
 * server, which must not kill itself when it searches for leftovers.
 */
export const isExempt = (table: ProcessTable, pid: number): boolean =>
  withAncestors(table, process.pid).has(pid) || withAncestors(table, pid).has(process.pid);

/** A process and its ancestors, as far as they are visible. */
function withAncestors(table: ProcessTable, pid: number): Set<number> {
  const pids = new Set<number>();
  for (let next = pid; next > 0 && !pids.has(next); next = table.observe(next)?.parent ?? 0) {
    pids.add(next);
  }
  return pids;
}
