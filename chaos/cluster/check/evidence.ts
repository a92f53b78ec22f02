import type { Evidence, Seen } from '../../api/check/evidence.ts';
import type { Change } from '../changes.ts';

/** What is looked at beside what the checks of one server over its API look at. */
export interface ClusterEvidence extends Evidence {
  readonly cap: number;
  /** What all commands and whoever broke workers wrote to one file, in the order of time. */
  readonly trace: readonly string[];
  readonly runReaders: readonly { readonly run: string; readonly seen: readonly Seen[] }[];
  readonly hints: readonly {
    readonly person: string;
    readonly known: Readonly<Record<string, number>>;
    /** Sessions that are theirs, and those shared with them at times. */
    readonly own: readonly string[];
    readonly shared: readonly string[];
  }[];
  readonly audit: readonly AuditRow[];
  readonly changes: readonly Change[];
  /** When all was calm: rows of live nodes, and processes that lived. */
  readonly liveNodes: readonly { readonly pid: number }[];
  readonly livePids: readonly number[];
  /** When all was calm: rows of connections, and streams that were open. */
  readonly connectionRows: number;
  readonly openStreams: number;
  /** Requests each API node took. */
  readonly taken: readonly number[];
}

export interface AuditRow {
  readonly seq: number;
  readonly userId: string;
  readonly action: string;
  readonly target: string;
}
