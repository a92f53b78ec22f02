import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, ProcessExit } from '../../workspaces/process.ts';
import { DRIVER_STOP_MS } from '../../workspaces/process.ts';
import type { Dialogue } from './dialogue.ts';
import type { Line } from './lines.ts';
import type { Steering } from './steering.ts';

/** The driver's share of the time for stopping; the ladder of signals gets the rest. */
const INTERRUPT_MS = (DRIVER_STOP_MS * 2) / 3;
const CLOSE_MS = DRIVER_STOP_MS / 3;
/**
 * How long to wait for Claude Code to read a message, or for a background agent to report back. The
 * wait is limited because either may never happen.
 */
const PATIENCE_MS = 10_000;
/**
 * How long Claude Code may keep running after its last result. Without a limit, a background
 * command could keep the process alive forever.
 */
const LEAVE_MS = 2000;
/** How long Claude Code may take to exit after its output has ended. */
const EXIT_MS = 1000;

const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/**
 * Ends a process when its turn is over or someone stops it. Works even if nobody reads the
 * process's output: a caller that aborts may have stopped consuming events.
 */
export class Shutdown {
  readonly #agent: Process;
  readonly #dialogue: Dialogue;
  readonly #steering: Steering;
  readonly #result = Promise.withResolvers<void>();
  #exit: ProcessExit | null = null;
  #finished = false;
  #betweenTurns = false;
  /** The number of running background agents; each causes one more turn. */
  #agents = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the process was stopped before its turn was over. */
  stopped = false;

  constructor(agent: Process, dialogue: Dialogue, steering: Steering) {
    this.#agent = agent;
    this.#dialogue = dialogue;
    this.#steering = steering;
    void agent.exited.then((exit) => {
      this.#exit = exit;
    });
  }

  /** Called with every line once its events have been consumed. */
  async see(line: Line): Promise<void> {
    if (line.type === 'background') this.#agents = line.agents;
    // Another turn has begun, because a message arrived during the previous turn or a background
    // agent has finished.
    if (line.type === 'system') this.#betweenTurns = false;
    if (line.type === 'result') {
      this.#result.resolve();
      this.#betweenTurns = true;
      await this.#steering.flush();
      if (this.#agents === 0 && !this.#dialogue.owesAnswer) this.finish();
    }
    this.#wait();
  }

  /** The turn is over. Claude Code exits when its input is closed. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#steering.end();
    this.#dialogue.close();
    this.#wait();
  }

  /** Restarts the timer that ends the turn, or stops the process, when no more lines arrive. */
  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#finished) this.#timer = setTimeout(() => void this.#agent.stop(), LEAVE_MS);
    else if (this.#betweenTurns && this.#agents === 0) {
      this.#timer = setTimeout(() => this.finish(), PATIENCE_MS);
    }
  }

  /** Interrupt → close input → the ladder of signals (Q9). */
  async stop(): Promise<void> {
    if (this.#exit !== null) return;
    if (!this.#finished) {
      this.stopped = true;
      this.#dialogue.interrupt();
      await Promise.race([this.#result.promise, this.#agent.exited, pause(INTERRUPT_MS)]);
      this.finish();
    }
    await Promise.race([this.#agent.exited, pause(CLOSE_MS)]);
    await this.#agent.stop();
  }

  /**
   * Call it once the output has ended. Waits for the process to exit, and stops it if it does not.
   */
  async exit(): Promise<ProcessExit> {
    await Promise.race([this.#agent.exited, pause(EXIT_MS)]);
    await this.#agent.stop();
    return this.#agent.exited;
  }

  done(): void {
    this.finish();
    clearTimeout(this.#timer);
  }
}
