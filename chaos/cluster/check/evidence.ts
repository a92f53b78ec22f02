import type { Evidence, Seen } from '../../api/check/evidence.ts';
import type { Change } from '../changes.ts';

/** The evidence of chaos over the API, extended for the cluster. */
export interface ClusterEvidence extends Evidence {
  readonly cap: number;
  /**
   * The lines that all commands and the fault injector wrote to one file, in chronological order.
   */
  readonly trace: readonly string[];
  readonly runReaders: readonly { readonly run: string; readonly seen: readonly Seen[] }[];
  readonly hints: readonly {
    readonly person: string;
    readonly known: Readonly<Record<string, number>>;
    /** The person's own sessions, and those shared with them at times. */
    readonly own: readonly string[];
    readonly shared: readonly string[];
  }[];
  readonly audit: readonly AuditRow[];
  readonly changes: readonly Change[];
  /** Once everything was calm: rows of live nodes, and live processes. */
  readonly liveNodes: readonly { readonly pid: number }[];
  readonly livePids: readonly number[];
  /** Once everything was calm: rows of connections, and open streams. */
  readonly connectionRows: number;
  readonly openStreams: number;
  /** The number of requests that each API node took. */
  readonly taken: readonly number[];
}

export interface AuditRow {
  readonly seq: number;
  readonly userId: string;
  readonly action: string;
  readonly target: string;
}
