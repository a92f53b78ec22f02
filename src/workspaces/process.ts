import type { Readable, Writable } from 'node:stream';

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started process with everything it starts: one killable unit (A9). */
export interface Process {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when the root process has exited, or when `stop` could not stop it (then without code
   * and signal); never rejects.
   */
  readonly exited: Promise<ProcessExit>;
  /** Sends SIGINT, so that the agent can end its turn on its own. */
  interrupt(): void;
  /**
   * Stops the process and everything it started: interrupt → close input → SIGTERM → SIGKILL,
   * within 5 s in all. Resolves when nothing is left, or nothing that can be stopped; never rejects.
   * Safe to call twice; after the process has exited, kills anything it left behind.
   */
  stop(): Promise<void>;
}

/** How long a driver may take to ask its agent to stop before it calls `stop` (Q9). */
export const DRIVER_STOP_MS = 600;

export interface SpawnOptions {
  /** The id of what the process belongs to, such as a run; used to find leftovers. */
  readonly unit: string;
  /** An absolute path as the agent sees it; by default the workspace. */
  readonly cwd?: string;
  /** Variables to add to the runtime's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Whether an interrupt goes to the whole process group; by default, it goes only to the process.
   */
  readonly interrupts?: 'process' | 'group';
}

/**
 * The program could not be started: it is missing or not executable, or its directory does not
 * exist.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** The machine has no resources for the program right now; starting it later may succeed. */
  readonly busy: boolean;
  /** The program is not installed; the driver can say how to install it. */
  readonly missing: boolean;

  constructor(
    message: string,
    options: { busy?: boolean; missing?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.busy = options.busy ?? false;
    this.missing = options.missing ?? false;
  }
}

/** Rejects with a StartError. */
export type Spawn = (argv: readonly string[], options: SpawnOptions) => Promise<Process>;
