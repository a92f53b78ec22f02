import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, ProcessExit } from '../../workspaces/process.ts';
import { DRIVER_STOP_MS } from '../../workspaces/process.ts';
import type { Dialogue } from './dialogue.ts';
import type { Line } from './lines.ts';
import type { Steering } from './steering.ts';

/** Our share of the time for stopping; the ladder gets the rest. */
const INTERRUPT_MS = (DRIVER_STOP_MS * 2) / 3;
const CLOSE_MS = DRIVER_STOP_MS / 3;
/**
 * How long to wait for a message it may never read, or a background agent that may never report
 * back.
 */
const PATIENCE_MS = 10_000;
/** How long it may stay after its last result. A background command would keep it alive forever. */
const LEAVE_MS = 2000;
/** How long it may take from the end of its output until it exits. */
const EXIT_MS = 1000;

const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/**
 * Ends a process when its turn is over or someone stops it. Does not depend on the reader of its
 * lines: a caller that aborts may have stopped consuming events.
 */
export class Shutdown {
  readonly #agent: Process;
  readonly #dialogue: Dialogue;
  readonly #steering: Steering;
  readonly #result = Promise.withResolvers<void>();
  #exit: ProcessExit | null = null;
  #finished = false;
  #betweenTurns = false;
  /** Background agents: each causes one more turn. */
  #agents = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether it was stopped before its turn was over. */
  stopped = false;

  constructor(agent: Process, dialogue: Dialogue, steering: Steering) {
    this.#agent = agent;
    this.#dialogue = dialogue;
    this.#steering = steering;
    void agent.exited.then((exit) => {
      this.#exit = exit;
    });
  }

  /** Called with every line, after its events were consumed. */
  async see(line: Line): Promise<void> {
    if (line.type === 'background') this.#agents = line.agents;
    // Another turn has begun, for a message that arrived while it worked or a background agent that
    // is done.
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

  /** Waits as long as it keeps writing. */
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

  /** Waits for its exit once its output has ended; a process that does not exit is stopped. */
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
