import type { ProcessRow, ProcessTable } from '../process-table.ts';
import type { Members } from '../process-tree.ts';

/** To this process, or its group, and to no other that has got its number by now. */
export function signal(
  table: ProcessTable,
  row: ProcessRow,
  name: NodeJS.Signals,
  whom: 'process' | 'group' = 'process',
): void {
  if (isStill(table, row)) send(whom === 'group' ? -row.group : row.pid, name);
}

/**
 * To all of them; whole groups at once, because a process that forks cannot slip through that. Only
 * for signals that may come twice.
 */
export function signalAll(
  table: ProcessTable,
  members: Members,
  name: 'SIGSTOP' | 'SIGKILL',
): void {
  const done = new Set<number>();
  for (const row of members.rows) {
    if (!isStill(table, row)) continue;
    if (members.groups.has(row.group) && !done.has(row.group)) {
      done.add(row.group);
      send(-row.group, name);
    }
    send(row.pid, name);
  }
}

function isStill(table: ProcessTable, row: ProcessRow): boolean {
  const now = table.observe(row.pid);
  return now !== null && now.start === row.start && !now.ended;
}

export function send(target: number, name: NodeJS.Signals): void {
  // These would be this process's own group, and everybody.
  if (target === 0 || target === -1 || target === 1) return;
  try {
    process.kill(target, name);
  } catch {
    // Gone in this moment, or another user's (sudo), whom we cannot stop.
  }
}
