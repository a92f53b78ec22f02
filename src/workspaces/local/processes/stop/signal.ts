import type { ProcessRow, ProcessTable } from '../process-table.ts';
import type { Members } from '../process-tree.ts';

/** Signals this process or its group, unless the pid now belongs to another process. */
export function signal(
  table: ProcessTable,
  row: ProcessRow,
  name: NodeJS.Signals,
  whom: 'process' | 'group' = 'process',
): void {
  if (isStill(table, row)) send(whom === 'group' ? -row.group : row.pid, name);
}

/**
 * Signals all members, and whole groups at once, so that a forking process cannot escape. Only for
 * signals that do no harm if they arrive twice.
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
  // 0 would mean this process's own group, and -1 every process.
  if (target === 0 || target === -1 || target === 1) return;
  try {
    process.kill(target, name);
  } catch {
    // The process has just exited, or it belongs to another user (sudo) and cannot be stopped.
  }
}
