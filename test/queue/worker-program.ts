import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';
import {
  type LogEvent,
  postgresQueue,
  type RunQueue,
  type RunRequest,
  type WorkerOptions,
} from '../../src/library.ts';
import { createDatabase } from '../support/postgres.ts';
import { type Program, root, start, temporaryDirectory } from '../support/processes.ts';
import { until } from '../support/until.ts';

/** The argument of fixtures/worker-program.ts. */
export interface Setup {
  readonly database: { readonly sqlite: string } | { readonly postgres: string };
  /** The file that its handlers append to. */
  readonly records: string;
  readonly worker: Omit<WorkerOptions, 'log' | 'clock' | 'random'>;
  /** Enqueued by the program itself, because SQLite serves only one process. */
  readonly enqueue: readonly RunRequest[];
}

/** The payload of its runs: the handler's actions, in this order. */
export interface Step {
  /** The first process that gets here creates this file and kills itself with SIGKILL. */
  readonly die?: string;
  /** Blocks the event loop for this long. */
  readonly blockMs?: number;
  /** The first process that gets here blocks its event loop until this file exists. */
  readonly block?: string;
  readonly ms?: number;
  /** Waits for this file, or for its signal. */
  readonly gate?: string;
  /** The number of attempts that fail. */
  readonly failures?: number;
}

/** One line of the records file. */
export interface Entry {
  readonly what: 'start' | 'end' | 'abort' | 'refused' | 'acknowledged';
  /** Milliseconds on the machine's monotonic clock, shared by all its processes. */
  readonly at: number;
  readonly pid: number;
  readonly run: string;
  readonly lane: string;
  readonly attempt: number;
  /** The reason of an abort. */
  readonly reason?: string;
  /** The idempotency key of an acknowledged run. */
  readonly key?: string;
}

export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

export interface WorkerProgram extends Program {
  /** How often it has logged this message. */
  logged(message: string): number;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
}

/** Worker programs on one database, with the files they share. */
export class Scene {
  readonly #directory = temporaryDirectory();
  readonly #records = join(this.#directory, 'records');
  readonly database: Setup['database'];

  constructor(database?: Setup['database']) {
    this.database = database ?? { sqlite: join(this.#directory, 'queue.db') };
    writeFileSync(this.#records, '');
  }

  path(name: string): string {
    return join(this.#directory, name);
  }

  open(gate: string): void {
    writeFileSync(gate, '');
  }

  /** Starts a program and waits until its node has joined. */
  async worker(
    worker: Setup['worker'] = {},
    enqueue: readonly RunRequest[] = [],
  ): Promise<WorkerProgram> {
    const setup: Setup = { database: this.database, records: this.#records, worker, enqueue };
    const file = join(root, 'test', 'fixtures', 'worker-program.ts');
    const program = start(process.execPath, [file, JSON.stringify(setup)]);
    onTestFailed(() =>
      console.error(`Process ${program.pid}:\n${program.stdout()}${program.stderr()}`),
    );
    await program.line('Joined ');
    const kill = (signal: NodeJS.Signals): void => void process.kill(program.pid, signal);
    return {
      ...program,
      kill,
      logged: (message) =>
        program
          .stdout()
          .split('\n')
          .filter((line) => line.startsWith(`${message} `)).length,
      stop: async () => {
        kill('SIGTERM');
        return (await program.exit).code;
      },
    };
  }

  records(filter: Partial<Entry> = {}): Entry[] {
    const wanted = Object.entries(filter);
    return readFileSync(this.#records, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry)
      .filter((entry) => wanted.every(([name, value]) => entry[name as keyof Entry] === value));
  }

  /** Waits for a record that matches. */
  async recorded(filter: Partial<Entry>, ms = 10_000): Promise<Entry> {
    let match: Entry | undefined;
    const deadline = now() + ms;
    await until(
      () => {
        match = this.records(filter)[0];
        return match !== undefined || now() > deadline;
      },
      { ms: ms + 1000 },
    );
    if (match === undefined) {
      const all = JSON.stringify(this.records(), null, 1);
      throw new Error(`not recorded within ${ms} ms: ${JSON.stringify(filter)}\n${all}`);
    }
    return match;
  }
}

/** A scene on an empty PostgreSQL database, with a queue in this process that executes nothing. */
export async function postgresScene(): Promise<{ scene: Scene; queue: RunQueue; url: string }> {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const queue = withTypes(await postgresQueue({ url: database.url }));
  onTestFinished(() => queue.close());
  return { scene: new Scene({ postgres: database.url }), queue, url: database.url };
}

/** Registers the types that the programs execute. */
export const withTypes = (queue: RunQueue): RunQueue =>
  queue.register('step', {}).register('side', {});

export const step = (lane: string, payload: Step = {}, more: Partial<RunRequest> = {}) => ({
  type: 'step',
  lane,
  payload: payload as Record<string, string | number>,
  ...more,
});

export const succeeded = (queue: RunQueue, ids: readonly string[], ms = 20_000): Promise<void> =>
  until(
    async () => {
      for (const id of ids) if ((await queue.get(id))?.state !== 'succeeded') return false;
      return true;
    },
    { ms, every: 20 },
  );

/** The whole log of a lane. */
export async function logOf(queue: RunQueue, lane: string): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (;;) {
    const page = await queue.events(lane, { after: events.at(-1)?.seq ?? 0, limit: 1000 });
    events.push(...page);
    if (page.length < 1000) return events;
  }
}

export const typesOf = (events: readonly LogEvent[], runId?: string): string[] =>
  events.filter((event) => runId === undefined || event.runId === runId).map(({ type }) => type);
