import type { ProcessRow, ProcessTable } from '../process-table.ts';
import { signal } from './signal.ts';

/**
 * SIGINT lets an agent end its turn itself and keep its conversation intact. A shell gets it with its
 * whole group, as from a terminal, because some shells wait for their command.
 */
export function interrupt(table: ProcessTable, root: ProcessRow, whom: 'process' | 'group'): void {
  signal(table, root, 'SIGINT', whom);
}
