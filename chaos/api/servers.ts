import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerLife } from './check/evidence.ts';
import { type Credentials, cleanEnvironment, LEASE_SECONDS, MAX_RUNS } from './setup.ts';

const launcher = fileURLToPath(new URL('../../bin/baton.mjs', import.meta.url));
/** One that lost its launcher ends at once; a machine under load needs a moment for that. */
const GONE_MS = 90_000;
/** Characters of what one life of a server says. */
const WORDS_KEPT = 4_000_000;

export type Death = 'both' | 'launcher' | 'child';

export interface Place {
  /** `up` unless told: both roles in one. */
  readonly command?: 'up' | 'api' | 'worker';
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
  readonly dataDir: string;
  readonly database: string;
}

/** One life of a server: the launcher and its child. */
export class ServerProcess {
  readonly pid: number;
  readonly exited: Promise<void>;
  /** What was done to it, in order. */
  readonly asked: string[] = [];
  exit: string | null = null;
  ready = false;
  output = '';
  readonly #child: ChildProcess;

  constructor(place: Place, { token, secretKey }: Credentials) {
    const { command = 'up', port, dataDir, database, env } = place;
    const flags = ['--port', String(port), '--data-dir', dataDir, '--database', database];
    this.#child = spawn(
      process.execPath,
      [launcher, command, ...flags, '--max-concurrent-runs', String(MAX_RUNS)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...cleanEnvironment(),
          BATON_ADMIN_TOKEN: token,
          BATON_SECRET_KEY: secretKey,
          BATON_LEASE_SECONDS: String(LEASE_SECONDS),
          ...env,
        },
      },
    );
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('a server could not be started');
    this.pid = pid;
    const guard = guardOf(pid);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-WORDS_KEPT);
        this.ready ||= text.includes('Baton is ready: ');
      });
    }
    this.exited = once(this.#child, 'close').then(([code, signal]) => {
      guard.kill('SIGKILL');
      this.exit = String(code ?? signal);
    });
  }

  get alive(): boolean {
    return this.exit === null && !this.asked.includes('kill');
  }

  /** The processes that do the work; none before the launcher has started them. */
  get children(): number[] {
    return childrenOf(this.pid);
  }

  /** Stops or continues it, launcher and all, as a machine does that is put to sleep. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of [this.pid, ...this.children]) signal(pid, name);
  }

  terminate(): void {
    this.asked.push('term');
    this.#child.kill('SIGTERM');
  }

  kill(who: Death = 'both'): void {
    this.asked.push('kill');
    // Looked up before the launcher is gone, because then nobody is its parent any more.
    const children = who === 'launcher' ? [] : this.children;
    if (who !== 'child' || children.length === 0) this.#child.kill('SIGKILL');
    for (const pid of children) signal(pid, 'SIGKILL');
  }
}

/** If we are killed, its input ends, and it ends the launcher, whose child then ends by itself. */
const guardOf = (pid: number): ChildProcess =>
  spawn('sh', ['-c', 'cat >/dev/null; kill -KILL "$1"', 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** The places of servers; each has at most one process at a time. */
export class Servers {
  readonly all: ServerProcess[] = [];
  readonly errors: string[] = [];
  readonly #places: readonly Place[];
  readonly #credentials: Credentials;
  readonly #now: (ServerProcess | undefined)[];

  constructor(places: readonly Place[], credentials: Credentials) {
    this.#places = places;
    this.#credentials = credentials;
    this.#now = places.map(() => undefined);
  }

  get urls(): string[] {
    return this.#places.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  get size(): number {
    return this.#places.length;
  }

  static place(directory: string, name: string, port: number, database: string | null): Place {
    const dataDir = join(directory, name);
    return { port, dataDir, database: database ?? `sqlite:${join(dataDir, 'baton.db')}` };
  }

  /** The process at a place, unless it was told to end. */
  running(place: number): ServerProcess | undefined {
    const server = this.#now[place];
    return server?.alive === true && server.asked.length === 0 ? server : undefined;
  }

  /** Starts one where none runs, once what was there is really gone. */
  async start(place: number): Promise<void> {
    const before = this.#now[place];
    if (before !== undefined && !(await this.#gone(before))) return;
    if (this.#now[place] !== before) return;
    const server = new ServerProcess(this.#places[place]!, this.#credentials);
    this.#now[place] = server;
    this.all.push(server);
  }

  async #gone(server: ServerProcess): Promise<boolean> {
    if (server.asked.length === 0 && server.exit === null) return false;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), GONE_MS);
    const over = once(late.signal, 'abort').then(() => false);
    const gone = await Promise.race([server.exited.then(() => true), over]);
    clearTimeout(timer);
    if (!gone) this.errors.push(`server ${server.pid} is not gone ${GONE_MS} ms after its end`);
    return gone;
  }

  /** All run and say so; false after the time. */
  async allReady(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    for (;;) {
      await Promise.all(this.#places.map((_, place) => this.start(place)));
      if (this.#places.every((_, place) => this.running(place)?.ready === true)) return true;
      if (performance.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** SIGTERM for all, and so long for their ends. */
  async stop(ms: number): Promise<void> {
    const living = this.all.filter((server) => server.alive);
    for (const server of living) if (server.asked.length === 0) server.terminate();
    const late = setTimeout(() => {
      for (const server of living) {
        if (server.exit !== null) continue;
        this.errors.push(`server ${server.pid}: no end within ${ms} ms of SIGTERM`);
        server.kill();
      }
    }, ms);
    await Promise.all(this.all.map(({ exited }) => exited));
    clearTimeout(late);
  }

  async killAll(): Promise<void> {
    for (const server of this.all) if (server.exit === null) server.kill();
    await Promise.all(this.all.map(({ exited }) => exited));
  }

  /** What was logged about a request. */
  wordsAbout(requestId: string): string {
    const lines = this.all.flatMap(({ output }) => output.split('\n'));
    return lines.filter((line) => line.includes(requestId)).join('\n');
  }

  lives(): ServerLife[] {
    return this.all.map(({ pid, asked, exit, output }) => ({
      pid,
      asked: [...asked],
      exit,
      lastWords: output.slice(-1500),
    }));
  }
}
