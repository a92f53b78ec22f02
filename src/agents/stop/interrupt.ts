import type { ProcessRow, ProcessTable } from '../process-table.ts';
import { signal } from './signal.ts';

/**
 * SIGINT: an agent may end its turn in its own way and keep its conversation whole. A shell is
 * interrupted with its whole group, as a terminal does it: some shells wait for their command.
 */
export function interrupt(table: ProcessTable, root: ProcessRow, whom: 'process' | 'group'): void {
  signal(table, root, 'SIGINT', whom);
}
