import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Spawn, type SpawnOptions, StartError } from '../../process.ts';
import { type ProcessTable, processTable } from './process-table.ts';
import { startError } from './start-error.ts';
import { type Supervision, supervise } from './supervise.ts';
import { formatTag, TAG_VARIABLE, type Tag } from './tag.ts';

export interface SpawnSettings extends Supervision {
  /** The part of the server's environment an agent may see (environment.ts). */
  readonly environment: Readonly<Record<string, string>>;
  readonly tag: Tag;
  readonly table?: ProcessTable;
}

let started = 0;

/** Starts processes on this machine, each in its own session and with a tag (A9). */
export const createSpawn =
  (settings: SpawnSettings): Spawn =>
  async (argv, options) => {
    const tag = formatTag(settings.tag, ++started);
    const table = settings.table ?? processTable();
    const since = table.now();
    const child = await launch(argv, options, {
      ...settings.environment,
      ...options.env,
      [TAG_VARIABLE]: tag,
    });
    // Node collects it in the next turn of the event loop at the earliest, so it still exists, if only as a zombie.
    const row = table.observe(child.pid);
    if (row === null) {
      child.kill('SIGKILL');
      throw new StartError('Cannot list the processes on this machine. Mount /proc.');
    }
    const root = { ...row, since };
    return supervise({ child, table, root, tag, interrupts: options.interrupts }, settings);
  };

async function launch(
  argv: readonly string[],
  options: SpawnOptions,
  env: Record<string, string>,
): Promise<ChildProcessWithoutNullStreams & { pid: number }> {
  const [program = '', ...args] = argv;
  try {
    const child = spawn(program, args, { cwd: options.cwd, env, detached: true });
    if (child.pid !== undefined) return child as typeof child & { pid: number };
    // The reason arrives as an `error` event, which `once` throws.
    throw await once(child, 'spawn');
  } catch (error) {
    throw await startError(program, options.cwd, error);
  }
}
