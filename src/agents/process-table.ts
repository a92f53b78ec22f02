import { macProcessTable } from './process-table-mac.ts';
import { procProcessTable } from './process-table-proc.ts';

/** A process as the system shows it. A pid means something only together with its start. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Nobody can enter another's session; what a session's leader starts stays in it or makes one. */
  readonly session: number;
  /** Rises with time; in a unit of the system's own. */
  readonly start: number;
  /** A zombie: ended, only not yet collected by its parent. */
  readonly ended: boolean;
}

/**
 * What runs on this machine. All of it synchronous: what is looked at must not have changed by the
 * time it is acted on, and a look at a hundred processes takes about a millisecond.
 */
export interface ProcessTable {
  /** The newest pids first: they are the most likely to be gone in a moment. */
  list(): ProcessRow[];
  /** Null if there is none. */
  look(pid: number): ProcessRow | null;
  /** The mark in its environment; null if there is none, or it is not ours to see. */
  markOf(pid: number): string | null;
}

export const processTable = (): ProcessTable =>
  process.platform === 'linux' ? procProcessTable() : macProcessTable();
