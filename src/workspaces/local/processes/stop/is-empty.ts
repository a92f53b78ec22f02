import type { ProcessTable } from '../process-table.ts';
import type { ProcessTree } from '../process-tree.ts';
import { killIfNewest, killNewest } from './find-until-gone.ts';

/**
 * True if no process in the tree is left. Checks twice, in two ways: one check usually catches a
 * running process, and a process that was not running then is listed the next time.
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
