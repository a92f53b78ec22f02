export interface ConnectionLimits {
  /** Open at the same time. */
  readonly most: number;
  /** Of these, without an authenticated request so far and of one address. */
  readonly perAddress: number;
}

/** The database, threads, logs, files that are being read. An idle server has 34 open. */
const FOR_SERVER = 100;
/** Pipes of an agent, and what git and its files take around it. A command takes 3 to 6. */
const FOR_RUN = 16;
/** As many as arrive between two turns of the event loop: none is dropped before it was read. */
const PER_ADDRESS = 512;
/** Each costs memory, too. */
const MOST = 50_000;

/** How many connections leave enough descriptors for everything else that a server opens. */
export function connectionLimits(descriptors: number, runs: number): ConnectionLimits {
  const left = Math.min(descriptors - FOR_SERVER - FOR_RUN * runs, descriptors * 0.75);
  const most = Math.floor(Math.min(MOST, Math.max(left, descriptors / 4)));
  return { most, perAddress: Math.min(PER_ADDRESS, Math.ceil(most / 2)) };
}

/** How many descriptors this process may have open. Node has raised it to the hard limit. */
export function descriptorLimit(): number {
  // The types do not know the property yet. Without it, names of all addresses would be looked up.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: Record<string, { soft?: unknown }> };
  report.excludeNetwork = before;
  const soft = Number(userLimits?.['open_files']?.soft);
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
}
