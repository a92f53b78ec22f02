/*
 * Everything the rules look at, as plain data: rows read by SQL, lines the workers wrote, what the
 * readers saw and what the driver was told. Nothing of the queue's own code is used to read or to
 * judge it.
 */

export interface LaneRow {
  readonly id: string;
  readonly held: boolean;
  readonly host: string | null;
  /** It takes the host of its first claim. */
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
  /** The number of the driver's request, out of the payload; null for runs of schedules. */
  readonly request: number | null;
  /** Which node made the result, if there is one. */
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
  /** Microseconds, on the server's clock: when the transaction that wrote it was committed. */
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
  /** Its node at that time; null without a lease. */
  readonly node: string | null;
  /** How long its process relied on the lease of that node when it wrote this. */
  readonly until: number | null;
  readonly run?: string;
  readonly lane?: string;
  readonly attempt?: number;
  /** Counts the executions of a process. */
  readonly execution?: number;
  readonly mark?: string;
  readonly reason?: string;
}

export interface ProcessLife {
  readonly pid: number;
  readonly host: string;
  /** Taken right before the signal was sent; null if it was not killed. */
  readonly killedAt: number | null;
  /** Null if it was killed on purpose. */
  readonly exit: string | null;
}

export interface Request {
  readonly n: number;
  readonly key: string | null;
  readonly interrupt: boolean;
  /** Those with the same number were enqueued by one call; null for one alone. */
  readonly batch: number | null;
  /** The id of each answer it got; several if it was repeated with its key. */
  readonly acknowledged: readonly string[];
}

export interface Evidence {
  readonly lanes: readonly LaneRow[];
  readonly runs: readonly RunRow[];
  /** By lane and seq. */
  readonly events: readonly EventRow[];
  readonly counts: Readonly<Record<string, number>>;
  readonly schedules: readonly ScheduleRow[];
  readonly nodes: readonly string[];
  /** Nodes in the table after the drain, and those of processes that lived then. */
  readonly nodesBeforeStop: readonly string[];
  readonly liveNodes: readonly string[];
  readonly records: readonly Entry[];
  readonly processes: readonly ProcessLife[];
  readonly requests: readonly Request[];
  /** Runs whose removal was tried. */
  readonly removed: readonly string[];
  /** New runs of manual retries that were answered. */
  readonly retried: readonly string[];
  /** What each reader saw, in the order in which it saw it. */
  readonly readers: readonly (readonly Seen[])[];
  readonly caps: {
    readonly types: Readonly<Record<string, number>>;
    readonly perOwner: number;
    readonly perNode: number;
  };
  /** The part of a lease that its process does not trust. */
  readonly leaseMarginMs: number;
  /** Schedules of every second that nobody touched, and when they were paused at the end. */
  readonly steady: readonly string[];
  readonly pausedAt: number;
  /** The database's time at the end. */
  readonly now: number;
  /** Errors that a caller must not meet. */
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
