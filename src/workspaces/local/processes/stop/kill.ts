import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRow, ProcessTable } from '../process-table.ts';
import type { Members, ProcessTree } from '../process-tree.ts';
import { isEmpty } from './is-empty.ts';
import { signalAll } from './signal.ts';

/** How many times to search for new processes before killing those already stopped. */
const FREEZES = 10;

/**
 * Sends SIGKILL until no process is left; returns those still alive when the time is up. The
 * processes get SIGSTOP first: a stopped process cannot fork or abandon its children, so all of
 * them are known before the first one dies.
 */
export async function kill(
  table: ProcessTable,
  tree: ProcessTree,
  withinMs: number,
  onMembers: (rows: readonly ProcessRow[]) => void = () => {},
): Promise<readonly ProcessRow[]> {
  const deadline = performance.now() + withinMs;
  while (!(await isEmpty(table, tree))) {
    const members = freeze(table, tree);
    onMembers(members.rows);
    signalAll(table, members, 'SIGKILL');
    if (performance.now() >= deadline) return tree.observe().rows;
    await sleep(5);
  }
  return [];
}

function freeze(table: ProcessTable, tree: ProcessTree): Members {
  let members = tree.observe();
  for (let round = 0; round < FREEZES && members.rows.length > 0; round++) {
    const seen = new Set(members.rows.map((row) => row.pid));
    signalAll(table, members, 'SIGSTOP');
    members = tree.observe();
    if (members.rows.every((row) => seen.has(row.pid))) break;
  }
  return members;
}
