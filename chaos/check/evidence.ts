/*
 * The input of the rules, as plain data: rows read by SQL, the lines that workers wrote, the events
 * that readers saw and the answers that the driver got. No code of the queue reads or judges it.
 */

export interface LaneRow {
  readonly id: string;
  readonly held: boolean;
  readonly host: string | null;
  /** The lane takes the host of its first claim. */
  readonly pin: boolean;
  readonly nextSeq: number;
}

export interface RunRow {
  readonly id: string;
  readonly lane: string;
  readonly owner: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly position: number | null;
  readonly retryOf: string | null;
  readonly idemKey: string | null;
  readonly runAt: number | null;
  readonly finishedAt: number | null;
  readonly firstSeq: number;
  readonly lastSeq: number | null;
  /** The number of the driver's request, from the payload; null for runs of schedules. */
  readonly request: number | null;
  /** The node that stored the result, if there is one. */
  readonly resultNode: string | null;
}

export interface EventRow {
  readonly lane: string;
  readonly seq: number;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly at: number;
  /** When the transaction that wrote it was committed: microseconds on the server's clock. */
  readonly committedAt: number;
  readonly digest: string;
}

export interface ScheduleRow {
  readonly id: string;
  readonly lastAt: number | null;
  readonly lastRunId: string | null;
}

/** One line of a worker's file. Times are milliseconds on the machine's monotonic clock. */
export interface Entry {
  readonly what: 'start' | 'end' | 'abort' | 'lease' | 'stored';
  readonly at: number;
  readonly wall: number;
  readonly pid: number;
  /** The process's node at that time; null without a lease. */
  readonly node: string | null;
  /** Until when the process relied on the lease of that node when it wrote this line. */
  readonly until: number | null;
  readonly run?: string;
  readonly lane?: string;
  readonly attempt?: number;
  /** Numbers the executions of a process. */
  readonly execution?: number;
  readonly mark?: string;
  readonly reason?: string;
}

export interface ProcessLife {
  readonly pid: number;
  readonly host: string;
  /** Right before the signal was sent; null if it was not killed. */
  readonly killedAt: number | null;
  /** Null if it was killed on purpose. */
  readonly exit: string | null;
}

export interface Request {
  readonly n: number;
  readonly key: string | null;
  readonly interrupt: boolean;
  /** Requests with the same number were enqueued by one call; null for a single one. */
  readonly batch: number | null;
  /** The run id in each answer; several if the request was repeated with its key. */
  readonly acknowledged: readonly string[];
}

export interface Evidence {
  readonly lanes: readonly LaneRow[];
  readonly runs: readonly RunRow[];
  /** Sorted by lane and seq. */
  readonly events: readonly EventRow[];
  readonly counts: Readonly<Record<string, number>>;
  readonly schedules: readonly ScheduleRow[];
  readonly nodes: readonly string[];
  /** Nodes in the table after the drain, and the nodes of processes alive then. */
  readonly nodesBeforeStop: readonly string[];
  readonly liveNodes: readonly string[];
  readonly records: readonly Entry[];
  readonly processes: readonly ProcessLife[];
  readonly requests: readonly Request[];
  /** Runs that the driver tried to remove. */
  readonly removed: readonly string[];
  /** The new runs of acknowledged manual retries. */
  readonly retried: readonly string[];
  /** The events that each reader saw, in order. */
  readonly readers: readonly (readonly Seen[])[];
  readonly caps: {
    readonly types: Readonly<Record<string, number>>;
    readonly perOwner: number;
    readonly perNode: number;
  };
  /** The last part of a lease, on which its process does not rely. */
  readonly leaseMarginMs: number;
  /** Schedules that fired every second untouched, and when they were paused at the end. */
  readonly steady: readonly string[];
  readonly pausedAt: number;
  /** The database's clock at the end. */
  readonly now: number;
  /** Errors that a caller must not get. */
  readonly errors: readonly string[];
}

export interface Seen {
  readonly lane: string;
  readonly seq: number;
  readonly digest: string;
}

export interface Violation {
  readonly rule: string;
  readonly evidence: string;
}

export type Report = (rule: string, evidence: string) => void;

export const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export const show = (value: unknown): string => JSON.stringify(value);
