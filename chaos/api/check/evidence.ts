/*
 * The input of the rules, as plain data: rows read by SQL, the traces that the commands left, the
 * events that readers saw and the answers that the driver got. No code of Baton reads or judges it.
 */

export interface SessionRow {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  /** The number of connections that was last logged. */
  readonly lastConnections: number;
  readonly nextSeq: number;
  /** The lane's active run, and the number of queued ones. */
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
  /** The output in its result. */
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

/** A message, or an edit, which has a number of its own. */
export interface Request {
  readonly n: number;
  readonly key: string | null;
  readonly session: string;
  /** The run id in each answer; several if the request was repeated with its key. */
  readonly acknowledged: readonly string[];
  /** It asked to run before others, or later. */
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
  readonly lastOutput: string;
}

export interface Evidence {
  readonly sessions: readonly SessionRow[];
  readonly runs: readonly RunRow[];
  /** Sorted by lane and seq. */
  readonly events: readonly EventRow[];
  /** Rows left in the tables after all servers have stopped. */
  readonly connections: readonly string[];
  readonly nodes: readonly string[];
  readonly installation: string;
  /** The last seq of each session's log once all runs had ended. */
  readonly ends: Readonly<Record<string, number>>;
  /** The lines that each session's commands wrote, in order. */
  readonly traces: readonly { readonly session: string; readonly lines: readonly string[] }[];
  readonly requests: readonly Request[];
  readonly acknowledgedSessions: readonly string[];
  /** Runs that the driver tried to remove. */
  readonly removed: readonly string[];
  readonly readers: readonly { readonly session: string; readonly seen: readonly Seen[] }[];
  /** Sessions whose number of connections stayed wrong. */
  readonly miscounted: readonly string[];
  readonly servers: readonly ServerLife[];
  /** Processes with the installation's tag after all servers have stopped. */
  readonly leftovers: readonly string[];
  /** Answers that a caller must not get, and steps that timed out. */
  readonly errors: readonly string[];
}
