import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentRig, unmasked } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { until } from '../../../test/support/until.ts';
import type { Process } from '../../workspaces/process.ts';
import type { AgentDriver, DriverEvent, Turn, TurnRuntime } from '../driver.ts';
import { Play } from './play.ts';
import type { Agent, DriverSubject } from './subject.ts';

export type Given = Partial<Omit<Turn, 'runtime'>> & {
  /** Wraps the driver, for example with time limits. */
  readonly wrap?: (driver: AgentDriver) => AgentDriver;
  /** Replaces parts of the runtime. */
  readonly runtime?: Partial<TurnRuntime>;
};

export interface RigOptions {
  /** A turn that takes longer than this counts as one that never ends. */
  readonly patienceMs?: number;
}

/**
 * One driver with scripted agents, in a workspace that can be accessed only through its runtime.
 */
export class DriverRig {
  readonly subject: DriverSubject;
  readonly patienceMs: number;
  readonly #agents = agentRig();
  readonly #workspace = temporaryDirectory();
  readonly #started: (readonly string[])[] = [];
  readonly #processes: Process[] = [];

  constructor(subject: DriverSubject, { patienceMs = 30_000 }: RigOptions = {}) {
    this.subject = subject;
    this.patienceMs = patienceMs;
  }

  /** Starts a turn whose agent runs this script, and consumes its events as they arrive. */
  start(script: string, given: Given = {}): Play {
    return this.startAgent(this.#scripted(script), given);
  }

  startAgent(agent: Agent, given: Given = {}): Play {
    return new Play(this, (own) => this.#run(agent, { ...given, ...own }), given);
  }

  /** Runs a turn to its end. */
  play(script: string, given: Given = {}) {
    return this.start(script, given).ended();
  }

  /** A turn whose events are consumed only on demand. */
  events(script: string, given: Given = {}): AsyncIterator<DriverEvent> {
    return this.#run(this.#scripted(script), given)[Symbol.asyncIterator]();
  }

  /** Puts a file into the workspace. */
  put(name: string, text: string | Buffer): void {
    writeFileSync(join(this.#workspace, name), text);
  }

  /** A file of the workspace, once the agent has written it. */
  async read(name: string): Promise<string> {
    await until(() => this.has(name), { ms: this.patienceMs });
    return readFileSync(join(this.#workspace, name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(join(this.#workspace, name));
  }

  /** The command lines that were started. */
  get started(): readonly (readonly string[])[] {
    return this.#started;
  }

  /** Live processes that the driver has started, and what they have started. */
  get alive(): readonly number[] {
    return this.#agents.marked().flatMap(({ pid, ended }) => (ended ? [] : [pid]));
  }

  /** Waits until every process is gone. */
  nothingLeft(): Promise<void> {
    return until(() => this.alive.length === 0, { ms: this.patienceMs });
  }

  /** Stops processes that a faulty driver has left behind. */
  async clear(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.stop()));
  }

  readonly #runtime: TurnRuntime = (() => {
    const runtime = this.#agents.runtime(this.#workspace);
    return {
      ...runtime,
      root: PLACE,
      spawn: async (argv, { cwd = PLACE, ...options } = {}) => {
        this.#started.push(argv);
        const elsewhere = cwd === PLACE ? {} : { cwd };
        const process = await runtime.spawn(argv, { ...options, ...elsewhere });
        this.#processes.push(process);
        return process;
      },
    };
  })();

  #scripted(script: string): Agent {
    return this.subject.scripted(script, temporaryDirectory());
  }

  /** The only place in the suite that knows what a turn consists of. */
  #run({ driver, turn }: Agent, { wrap = (same) => same, runtime, ...given }: Given) {
    return wrap(driver).run({
      ...turn,
      conversation: null,
      runtime: { ...this.#runtime, ...runtime },
      maskStream: unmasked,
      signal: new AbortController().signal,
      ...given,
    });
  }
}

/**
 * The workspace path given to the driver. A driver that uses it as a directory on this machine
 * fails.
 */
const PLACE = '/no-such-folder/workspace';
