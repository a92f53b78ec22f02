import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentProcess, ProcessExit } from '../process.ts';
import { DRIVER_STOP_MS } from '../stop/ladder.ts';
import type { Dialogue } from './dialogue.ts';
import type { Line } from './lines.ts';
import type { Steering } from './steering.ts';

/** Of the time to stop, what is its own; the ladder has the rest. */
const INTERRUPT_MS = (DRIVER_STOP_MS * 2) / 3;
const CLOSE_MS = DRIVER_STOP_MS / 3;
/** For a message of ours that it never takes up, or an agent in the background that it never hears. */
const PATIENCE_MS = 10_000;
/** After its last result. A command in the background would hold it for ever. */
const LEAVE_MS = 2000;
/** Between the end of its output and its own. */
const EXIT_MS = 1000;

const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/**
 * The ways out of a process: its turn is over, or somebody wants it to stop. Works beside whoever
 * reads its lines: who aborts may have stopped taking events.
 */
export class Shutdown {
  readonly #agent: AgentProcess;
  readonly #dialogue: Dialogue;
  readonly #steering: Steering;
  readonly #result = Promise.withResolvers<void>();
  #exit: ProcessExit | null = null;
  #finished = false;
  #betweenTurns = false;
  /** Agents in the background: each makes a turn more. */
  #agents = 0;
  #timer: NodeJS.Timeout | undefined;
  /** It was told to stop before its turn was over. */
  stopped = false;

  constructor(agent: AgentProcess, dialogue: Dialogue, steering: Steering) {
    this.#agent = agent;
    this.#dialogue = dialogue;
    this.#steering = steering;
    void agent.exited.then((exit) => {
      this.#exit = exit;
    });
  }

  /** Sees every line, after its events were taken. */
  async see(line: Line): Promise<void> {
    if (line.type === 'background') this.#agents = line.agents;
    // A turn of its own, for a message that came while it worked or an agent that is done.
    if (line.type === 'system') this.#betweenTurns = false;
    if (line.type === 'result') {
      this.#result.resolve();
      this.#betweenTurns = true;
      await this.#steering.settle();
      if (this.#agents === 0 && !this.#dialogue.owesAnswer) this.finish();
    }
    this.#wait();
  }

  /** The turn is over. Without input Claude Code ends by itself. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#steering.end();
    this.#dialogue.close();
    this.#wait();
  }

  /** As long as it speaks it is not hurried. */
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

  /** How it ended, after its output has; one that stays is stopped. */
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
