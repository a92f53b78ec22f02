import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Family } from './family.ts';
import { formatMark, MARK_VARIABLE, type Mark } from './mark.ts';
import type { AgentProcess, ProcessExit, Spawn, SpawnOptions } from './process.ts';
import { type ProcessRow, type ProcessTable, processTable } from './process-table.ts';
import { startError } from './start-error.ts';
import { interrupt } from './stop/interrupt.ts';
import { climb, LADDER, type Ladder } from './stop/ladder.ts';

export interface SpawnSettings {
  /** What an agent may see of the server's environment (environment.ts). */
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: Mark;
  readonly ladder?: Ladder;
  /** How often the family is looked at while it runs. */
  readonly lookMs?: number;
  readonly table?: ProcessTable;
  /** Hears of processes that nothing could stop, such as those of another user. */
  readonly onLeft?: (left: readonly ProcessRow[]) => void;
}

const FIRST_LOOK_MS = 25;
const LOOK_MS = 1000;
/** Looks take a fiftieth of the time at most, however many processes the machine has. */
const LOOK_SHARE = 50;
let started = 0;

/** Starts processes on this machine, each in a session of its own and marked (A9). */
export const createSpawn =
  (settings: SpawnSettings): Spawn =>
  async (argv, options) => {
    const mark = formatMark(settings.mark, ++started);
    const child = await launch(argv, options, {
      ...settings.environment,
      ...options.env,
      [MARK_VARIABLE]: mark,
    });
    return supervise(child, mark, settings, options.interrupts ?? 'process');
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
    // The reason comes with an event, which `once` makes an exception of.
    throw await once(child, 'spawn');
  } catch (error) {
    throw await startError(program, options.cwd, error);
  }
}

function supervise(
  child: ChildProcessWithoutNullStreams & { pid: number },
  mark: string,
  settings: SpawnSettings,
  interrupts: 'process' | 'group',
): AgentProcess {
  const table = settings.table ?? processTable();
  const { pid, stdin, stdout, stderr } = child;
  // Not collected before the next turn of the event loop, so it is there, if only as a zombie.
  const root = table.look(pid) ?? { ...NOBODY, pid, group: pid, session: pid };
  const family = new Family({ table, root, isOurs: (found) => found === mark });
  // A program may close its ends at any time; that is no failure of ours.
  for (const stream of [stdin, stdout, stderr, child]) stream.on('error', () => {});

  // Soon after the start, when most programs start others, and then ever more rarely.
  let timer: NodeJS.Timeout | undefined;
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => {
      const before = performance.now();
      family.look();
      const least = LOOK_SHARE * (performance.now() - before);
      lookIn(Math.max(least, Math.min(2 * ms, settings.lookMs ?? LOOK_MS)));
    }, ms).unref();
  };
  lookIn(FIRST_LOOK_MS);

  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      family.look();
      resolve({ code, signal });
    });
  });

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const stoppable = { table, family, root, stdin, exited, interrupts };
    const left = await climb(stoppable, settings.ladder ?? LADDER);
    clearTimeout(timer);
    if (left.length > 0) settings.onLeft?.(left);
    // Its own end is known a moment after the system has seen it; one left does not hold us up.
    if (!left.some((row) => row.pid === pid)) await exited;
  };
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    interrupt: () => interrupt(table, root, interrupts),
    stop: () => (stopping ??= stop()),
  };
}

const NOBODY = { parent: 0, start: 0, ended: false };
