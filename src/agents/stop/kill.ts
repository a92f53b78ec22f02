import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRow, ProcessTable } from '../process-table.ts';
import type { Family, Members } from '../process-tree.ts';
import { isEmpty } from './is-empty.ts';
import { signalAll } from './signal.ts';

/** Looks that may find new ones before those found so far are killed. */
const FREEZES = 10;

/**
 * SIGKILL of everybody, looked at again until nobody is left; gives those who were left when the
 * time was over. They are stopped first: a stopped process neither forks nor lets go of its
 * children, so that all of them are seen before the first one dies.
 */
export async function kill(
  table: ProcessTable,
  family: Family,
  withinMs: number,
  onFound: (rows: readonly ProcessRow[]) => void = () => {},
): Promise<readonly ProcessRow[]> {
  const deadline = performance.now() + withinMs;
  while (!(await isEmpty(table, family))) {
    const members = freeze(table, family);
    onFound(members.rows);
    signalAll(table, members, 'SIGKILL');
    if (performance.now() >= deadline) return family.look().rows;
    await sleep(5);
  }
  return [];
}

function freeze(table: ProcessTable, family: Family): Members {
  let members = family.look();
  for (let round = 0; round < FREEZES && members.rows.length > 0; round++) {
    const seen = new Set(members.rows.map((row) => row.pid));
    signalAll(table, members, 'SIGSTOP');
    members = family.look();
    if (members.rows.every((row) => seen.has(row.pid))) break;
  }
  return members;
}
