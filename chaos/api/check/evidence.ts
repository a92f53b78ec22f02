/*
 * Everything the rules look at, as plain data: rows read by SQL, traces the commands left, what the
 * readers saw and what the driver was told. Nothing of Baton's own code is used to read or judge it.
 */

export interface SessionRow {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  /** The number of connections its log was last told. */
  readonly lastConnections: number;
  readonly nextSeq: number;
  /** Of its lane: the run under way, and how many wait. */
  readonly runId: string | null;
  readonly queued: number;
}

export interface RunRow {
  readonly id: string;
  readonly lane: string;
  readonly state: string;
  readonly position: number | null;
  readonly retryOf: string | null;
  readonly idemKey: string | null;
  readonly crashes: number;
  readonly attempts: number;
  readonly firstSeq: number;
  readonly lastSeq: number | null;
  readonly message: string;
  /** Of its result. */
  readonly output: string | null;
}

export interface EventRow {
  readonly lane: string;
  readonly seq: number;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly at: number;
  readonly digest: string;
}

/** A message, or a number given to an edit. */
export interface Request {
  readonly n: number;
  readonly key: string | null;
  readonly session: string;
  /** The id of each answer it got; several if it was repeated with its key. */
  readonly acknowledged: readonly string[];
  /** It asked to go before others, or to wait. */
  readonly outOfTurn: boolean;
}

export interface Seen {
  readonly seq: number;
  readonly type: string;
  readonly digest: string;
}

export interface ServerLife {
  readonly pid: number;
  readonly asked: readonly string[];
  readonly exit: string | null;
  readonly lastWords: string;
}

export interface Evidence {
  readonly sessions: readonly SessionRow[];
  readonly runs: readonly RunRow[];
  /** By lane and seq. */
  readonly events: readonly EventRow[];
  /** Left in the tables after all servers have stopped. */
  readonly connections: readonly string[];
  readonly nodes: readonly string[];
  readonly installation: string;
  /** Where the log of each session ended when all runs had. */
  readonly ends: Readonly<Record<string, number>>;
  /** What the commands of each session wrote, in that order. */
  readonly traces: readonly { readonly session: string; readonly lines: readonly string[] }[];
  readonly requests: readonly Request[];
  readonly acknowledgedSessions: readonly string[];
  /** Runs whose removal was tried. */
  readonly removed: readonly string[];
  readonly readers: readonly { readonly session: string; readonly seen: readonly Seen[] }[];
  /** Sessions whose number of connections did not become the real one. */
  readonly miscounted: readonly string[];
  readonly servers: readonly ServerLife[];
  /** Processes with the installation's mark after all servers have stopped. */
  readonly leftovers: readonly string[];
  /** Answers that a caller must not meet, and what did not happen in time. */
  readonly errors: readonly string[];
}
