export interface ConnectionLimits {
  /** The most connections open at the same time. */
  readonly most: number;
  /** The most connections from one address without an authenticated request. */
  readonly perAddress: number;
  /** The most connections one user may have. */
  readonly perUser: number;
}

/** For the database, threads, logs and open files. An idle server has 34 open. */
const FOR_SERVER = 100;
/** For an agent's pipes, and for git and its files. A command needs 3 to 6. */
const FOR_RUN = 16;
/** As many as arrive between two turns of the event loop, so none is dropped before it is read. */
const PER_ADDRESS = 512;
/** For one user, in addition to open streams. */
const PER_USER = 56;
/** Bounded, because each connection costs memory, too. */
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
 * How many file descriptors this process may have open. Node has raised the limit to the hard one.
 */
export function descriptorLimit(): number {
  // Not in the types yet. Without it, the report would resolve the names of all addresses.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: Record<string, { soft?: unknown }> };
  report.excludeNetwork = before;
  const soft = Number(userLimits?.['open_files']?.soft);
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
}
