import { macProcessTable } from './process-table-mac.ts';
import { procProcessTable } from './process-table-proc.ts';

/** A process as the system reports it. Pids are reused: only pid and start together identify one. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /**
   * A process cannot join another's session; its children stay in its session or start their own.
   */
  readonly session: number;
  /** Start time in a system-specific unit; later starts are larger. */
  readonly start: number;
  /** A zombie: it has ended, but its parent has not collected it yet. */
  readonly ended: boolean;
}

/** A point in the machine's history of processes. */
export interface Moment {
  readonly newest: number;
  readonly forks: number;
}

/**
 * The processes of this machine. Every call is synchronous, so that nothing changes between
 * reading a process and acting on it.
 */
export interface ProcessTable {
  /** All processes, or at least those started since. A hundred take about a millisecond. */
  list(since?: Moment): ProcessRow[];
  /** Null if there is no such process. */
  observe(pid: number): ProcessRow | null;
  /** The tag in a process's environment; null if it has none or we may not read it. */
  tagOf(pid: number): string | null;
  /** The pid or thread id assigned last; null where the system does not report it. */
  newest(): number | null;
  now(): Moment;
}

export const processTable = (): ProcessTable =>
  process.platform === 'linux' ? procProcessTable() : macProcessTable();
