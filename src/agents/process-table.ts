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

/** A point in the machine's history of processes. */
export interface Moment {
  readonly newest: number;
  readonly forks: number;
}

/**
 * What runs on this machine. All of it synchronous: what is looked at must not have changed by the
 * time it is acted on.
 */
export interface ProcessTable {
  /** All, or those started since then and perhaps others. A hundred take about a millisecond. */
  list(since?: Moment): ProcessRow[];
  /** Null if there is none. */
  look(pid: number): ProcessRow | null;
  /** The mark in a process's environment; null if there is none, or it is not ours to see. */
  markOf(pid: number): string | null;
  /** The number that was given away last, to a process or a thread, where the system tells. */
  newest(): number | null;
  now(): Moment;
}

export const processTable = (): ProcessTable =>
  process.platform === 'linux' ? procProcessTable() : macProcessTable();
