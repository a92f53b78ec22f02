import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { AgentProcess, ProcessExit } from './process.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import { Family, type Root } from './process-tree.ts';
import { interrupt } from './stop/interrupt.ts';
import { climb, LADDER, type Ladder } from './stop/ladder.ts';

export interface Supervision {
  readonly ladder?: Ladder;
  /** How often the family is looked at while it runs. */
  readonly lookMs?: number;
  /** Hears of processes that nothing could stop, such as those of another user. */
  readonly onLeft?: (left: readonly ProcessRow[]) => void;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly table: ProcessTable;
  readonly root: Root;
  readonly mark: string;
  readonly interrupts: 'process' | 'group' | undefined;
}

const FIRST_LOOK_MS = 25;
const LOOK_MS = 1000;
/** Looks take a fiftieth of the time at most, however many processes the machine has. */
const LOOK_SHARE = 50;

/** Watches over a started process: what it starts, how it ends, and that nothing stays. */
export function supervise(started: Started, options: Supervision): AgentProcess {
  const { child, table, root, mark, interrupts = 'process' } = started;
  const { stdin, stdout, stderr } = child;
  const family = new Family({ table, root, isOurs: (found) => found === mark });
  // A program may close its ends at any time; that is no failure of ours.
  for (const stream of [stdin, stdout, stderr, child]) stream.on('error', () => {});

  const look = (): void => {
    try {
      family.look();
    } catch {
      // The system does not list its processes at the moment. Stopping them lists them again.
    }
  };

  // Soon after the start, when most programs start others, and then ever more rarely.
  let timer: NodeJS.Timeout | undefined;
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => {
      const before = performance.now();
      look();
      const least = LOOK_SHARE * (performance.now() - before);
      lookIn(Math.max(least, Math.min(2 * ms, options.lookMs ?? LOOK_MS)));
    }, ms).unref();
  };
  lookIn(FIRST_LOOK_MS);

  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      look();
      for (const stream of [stdout, stderr]) keepUnread(stream);
      resolve({ code, signal });
    });
  });

  const stop = async (): Promise<void> => {
    const stoppable = { table, family, root, stdin, exited, interrupts };
    const left = await climb(stoppable, options.ladder ?? LADDER);
    clearTimeout(timer);
    if (left.length > 0) options.onLeft?.(left);
    // Its own end is known a moment after the system has seen it; one left does not hold us up.
    if (!left.some(({ pid }) => pid === root.pid)) await exited;
  };
  let stopping: Promise<void> | undefined;
  return {
    pid: root.pid,
    stdin,
    stdout,
    stderr,
    exited,
    interrupt: () => interrupt(table, root, interrupts),
    stop: () => (stopping ??= stop()),
  };
}

/**
 * When a process has ended, Node lets the output that nobody listens to run away. Whoever takes the
 * output may come later, so somebody seems to listen until that moment has passed.
 */
function keepUnread(stream: Readable): void {
  if (stream.listenerCount('data') > 0 || stream.listenerCount('readable') > 0) return;
  const listener = (): void => {};
  stream.on('readable', listener);
  setImmediate(() => stream.off('readable', listener));
}
