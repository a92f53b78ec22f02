import { macProcessTable } from './process-table-mac.ts';
import { procProcessTable } from './process-table-proc.ts';

/**
 * A process as the system reports it. Pids are reused: only pid and start together identify a
 * process.
 */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /**
   * A process cannot join an existing session: it stays in its parent's session or starts its own.
   */
  readonly session: number;
  /** Start time in a system-specific unit; a later start has a larger value. */
  readonly start: number;
  /** Also true for a zombie, which has exited but has not been reaped by its parent yet. */
  readonly ended: boolean;
}

/** A moment, identified by the processes that the machine had started by then. */
export interface Moment {
  readonly newest: number;
  readonly forks: number;
}

/**
 * The processes on this machine. Every call is synchronous, so that nothing changes between reading
 * a process and acting on it.
 */
export interface ProcessTable {
  /**
   * All processes, or at least those started since the given point. Listing a hundred processes
   * takes about a millisecond.
   */
  list(since?: Moment | undefined): ProcessRow[];
  /** Null if there is no such process. */
  observe(pid: number): ProcessRow | null;
  /** The tag in a process's environment; null if it has none or we may not read it. */
  tagOf(pid: number): string | null;
  /** The most recently assigned pid or thread id; null where the system does not report it. */
  newest(): number | null;
  now(): Moment;
}

export const processTable = (): ProcessTable =>
  process.platform === 'linux' ? procProcessTable() : macProcessTable();
