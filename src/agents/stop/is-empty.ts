import type { ProcessTable } from '../process-table.ts';
import type { Family } from '../process-tree.ts';
import { hunt, probe } from './find-until-gone.ts';

/**
 * True if nobody of the family is left. Asked twice in two ways: who runs is seen by one of them
 * most of the time, and who happened not to run when it was asked is in the list the next time.
 */
export async function isEmpty(table: ProcessTable, family: Family): Promise<boolean> {
  for (let round = 0; round < 2; round++) {
    if (family.look().rows.length > 0 || (await hunt(table, family))) return false;
  }
  return true;
}

/** The same at a glance, for the ordinary end of a process, which leaves nobody behind. */
export const looksEmpty = (table: ProcessTable, family: Family): boolean =>
  family.look().rows.length === 0 && !probe(table, family) && !probe(table, family);
