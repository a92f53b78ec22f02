import type { ProcessTable } from '../process-table.ts';
import type { ProcessTree } from '../process-tree.ts';
import { killIfNewest, killNewest } from './find-until-gone.ts';

/**
 * True if no process in the tree is left. Makes two rounds of two checks: a process that is running
 * is usually caught by the second check, and a process that is not running at the time is listed in
 * the next round.
 */
export async function isEmpty(table: ProcessTable, tree: ProcessTree): Promise<boolean> {
  for (let round = 0; round < 2; round++) {
    if (tree.observe().rows.length > 0 || (await killNewest(table, tree))) return false;
  }
  return true;
}

/** A quick check for the ordinary end of a process, which leaves nothing behind. */
export const seemsEmpty = (table: ProcessTable, tree: ProcessTree): boolean =>
  tree.observe().rows.length === 0 && !killIfNewest(table, tree) && !killIfNewest(table, tree);
