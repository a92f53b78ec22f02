import type { ProcessRow, ProcessTable } from '../process-table.ts';
import { signal } from './signal.ts';

/**
 * SIGINT lets an agent end its turn on its own and keep its conversation intact. For a shell, the
 * signal goes to its whole process group, as it would from a terminal, because some shells wait for
 * their command to finish.
 */
export function interrupt(table: ProcessTable, root: ProcessRow, whom: 'process' | 'group'): void {
  signal(table, root, 'SIGINT', whom);
}
