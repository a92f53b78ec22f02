export interface ConnectionLimits {
  /** The maximum number of connections open at the same time. */
  readonly most: number;
  /** The maximum number of connections from one address without an authenticated request. */
  readonly perAddress: number;
  /** The maximum number of connections per user. */
  readonly perUser: number;
}

/**
 * Descriptors for the database, threads, logs and open files. An idle server has 34 descriptors
 * open.
 */
const FOR_SERVER = 100;
/** Descriptors for an agent's pipes, and for git and its files. A command needs 3 to 6 of them. */
const FOR_RUN = 16;
/**
 * As many connections as can arrive between two turns of the event loop, so that none is dropped
 * unread.
 */
const PER_ADDRESS = 512;
/** Connections per user, in addition to open streams. */
const PER_USER = 56;
/** Capped, because every connection also costs memory. */
const MOST = 50_000;

/**
 * How many connections to allow, so that enough file descriptors remain for everything else a
 * server opens, and every user can connect. `streams`: how many streams a user may have open.
 */
export function connectionLimits(
  descriptors: number,
  runs: number,
  streams: number,
): ConnectionLimits {
  const left = Math.min(descriptors - FOR_SERVER - FOR_RUN * runs, descriptors * 0.75);
  const most = Math.floor(Math.min(MOST, Math.max(left, descriptors / 4)));
  return {
    most,
    perAddress: Math.min(PER_ADDRESS, Math.ceil(most / 2)),
    perUser: Math.min(Math.max(256, streams + PER_USER), Math.ceil(most / 4)),
  };
}

/**
 * How many file descriptors this process may have open. Node has already raised the soft limit to
 * the hard limit.
 */
export function descriptorLimit(): number {
  // `excludeNetwork` is not in the types yet. Without it, the report would resolve the names of all
  // addresses.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: Record<string, { soft?: unknown }> };
  report.excludeNetwork = before;
  const soft = Number(userLimits?.['open_files']?.soft);
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
}
