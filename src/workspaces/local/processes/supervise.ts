import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Process, ProcessExit } from '../../process.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import { ProcessTree, type Root } from './process-tree.ts';
import { endsWithin } from './stop/ends-within.ts';
import { interrupt } from './stop/interrupt.ts';
import { climb, LADDER, type Ladder } from './stop/ladder.ts';

export interface Supervision {
  readonly ladder?: Ladder;
  /** The longest time between two observations of the running tree. */
  readonly observeMs?: number;
  /** Called with processes that nothing could stop, such as another user's. */
  readonly onLeft?: (left: readonly ProcessRow[]) => void;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly table: ProcessTable;
  readonly root: Root;
  readonly tag: string;
  readonly interrupts: 'process' | 'group' | undefined;
}

const FIRST_OBSERVE_MS = 25;
const OBSERVE_MS = 1000;
/** How long to wait for a killed root to exit, when nothing else of its tree is left. */
const EXIT_MS = 250;
/** Limits the time spent on observation to one fiftieth, however many processes the machine has. */
const OBSERVE_SHARE = 50;

/**
 * Follows a started process: tracks what it starts and how it ends, and makes sure that nothing
 * outlives it.
 */
export function supervise(started: Started, options: Supervision): Process {
  const { child, table, root, tag, interrupts = 'process' } = started;
  const { stdin, stdout, stderr } = child;
  const tree = new ProcessTree({ table, root, isOurs: (other) => other === tag });
  // A program may close its streams at any time; that is not an error.
  for (const stream of [stdin, stdout, stderr, child]) stream.on('error', () => {});

  const observe = (): void => {
    try {
      tree.observe();
    } catch {
      // The system cannot list its processes right now. When the tree is stopped, they are listed
      // again.
    }
  };

  // Observations are frequent at first, when most programs start others, and then become rarer.
  let timer: NodeJS.Timeout | undefined;
  const observeIn = (ms: number): void => {
    timer = setTimeout(() => {
      const before = performance.now();
      observe();
      const least = OBSERVE_SHARE * (performance.now() - before);
      observeIn(Math.max(least, Math.min(2 * ms, options.observeMs ?? OBSERVE_MS)));
    }, ms).unref();
  };
  observeIn(FIRST_OBSERVE_MS);

  const { promise: exited, resolve: hasExited } = Promise.withResolvers<ProcessExit>();
  child.once('exit', (code, signal) => {
    clearTimeout(timer);
    observe();
    for (const stream of [stdout, stderr]) keepUnread(stream);
    hasExited({ code, signal });
  });

  const stop = async (): Promise<void> => {
    const stoppable = { table, tree, root, stdin, exited, interrupts };
    const listed = await climb(stoppable, options.ladder ?? LADDER).catch(() => {
      // The system cannot list its processes, so only the root is sure to be ours.
      child.kill('SIGKILL');
      return [root];
    });
    clearTimeout(timer);
    // There is no point in waiting for a process that could not be stopped.
    const isLeft = !listed.some(({ pid }) => pid === root.pid) && !(await rootExits());
    const left = isLeft ? [...listed, root] : listed;
    if (left.length > 0) options.onLeft?.(left);
    // Otherwise, a run whose root cannot be stopped would never end. A root that was just killed
    // may take a moment to exit.
    if (!(await endsWithin(exited, EXIT_MS))) hasExited({ code: null, signal: null });
  };
  const rootExits = async (): Promise<boolean> => {
    // `exited` resolves a moment after the process is gone. If the system does not list the
    // process, it may still be alive.
    if (!(await endsWithin(exited, 0))) child.kill('SIGKILL');
    return endsWithin(exited, EXIT_MS);
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
 * When a process exits, Node discards output that has no listener. The reader may attach a moment
 * later, so our own listener holds the output until then.
 */
function keepUnread(stream: Readable): void {
  if (stream.listenerCount('data') > 0 || stream.listenerCount('readable') > 0) return;
  const listener = (): void => {};
  stream.on('readable', listener);
  setImmediate(() => stream.off('readable', listener));
}
