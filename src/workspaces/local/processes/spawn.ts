import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Spawn, StartError } from '../../process.ts';
import { type Moment, type ProcessRow, type ProcessTable, processTable } from './process-table.ts';
import { startError } from './start-error.ts';
import { type Supervision, supervise } from './supervise.ts';
import { formatTag, TAG_VARIABLE } from './tag.ts';

export interface SpawnSettings extends Omit<Supervision, 'onLeft'> {
  /**
   * Called with those processes of a unit that nothing could stop, such as another user's.
   */
  readonly onLeft?: (left: readonly ProcessRow[], unit: string) => void;
  readonly installation: string;
  /** Returns this node's id; called before each process is started. */
  readonly node: () => string;
  /** The part of the server's environment that an agent may see (environment.ts). */
  readonly environment: Readonly<Record<string, string>>;
  /** The directory in which processes start by default. */
  readonly root: string;
  readonly table?: ProcessTable;
}

let started = 0;

/** Starts processes on this machine, each in its own session and with a tag (A9). */
export const createSpawn =
  (settings: SpawnSettings): Spawn =>
  async (argv, { unit, cwd = settings.root, env = {}, interrupts }) => {
    const { installation, environment } = settings;
    const tag = formatTag({ installation, node: settings.node(), run: unit }, ++started);
    const table = settings.table ?? processTable();
    const since = table.now();
    const child = await launch(argv, cwd, { ...environment, ...env, [TAG_VARIABLE]: tag });
    // Node reaps the child in the next turn of the event loop at the earliest, so it still exists,
    // if only as a zombie.
    const row = table.observe(child.pid);
    if (row === null) {
      child.on('error', () => {}).kill('SIGKILL');
      throw new StartError('Cannot list the processes on this machine. Mount /proc.');
    }
    const root = { ...row, since: lists(table, since, row) ? since : undefined };
    const onLeft = (left: readonly ProcessRow[]): void => settings.onLeft?.(left, unit);
    return supervise({ child, table, root, tag, interrupts }, { ...settings, onLeft });
  };

/**
 * Whether the table lists a process that has just started as new. If not, the system does not
 * report the newest pid of this pid namespace: under LXC, /proc/loadavg may be the host's, and in
 * gVisor it contains zeros.
 */
function lists(table: ProcessTable, since: Moment, { pid }: ProcessRow): boolean {
  try {
    return table.list(since).some((row) => row.pid === pid);
  } catch {
    // The system cannot list its processes right now.
    return false;
  }
}

async function launch(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<ChildProcessWithoutNullStreams & { pid: number }> {
  const [program = '', ...args] = argv;
  try {
    const child = spawn(program, args, { cwd, env, detached: true });
    if (child.pid !== undefined) return child as typeof child & { pid: number };
    // The reason arrives as an `error` event, which `once` throws.
    throw await once(child, 'spawn');
  } catch (error) {
    throw await startError(program, cwd, error);
  }
}
