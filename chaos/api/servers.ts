import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerLife } from './check/evidence.ts';
import { type Credentials, cleanEnvironment, LEASE_SECONDS, MAX_RUNS } from './setup.ts';

const launcher = fileURLToPath(new URL('../../bin/baton.mjs', import.meta.url));
/** A server that lost its launcher exits at once, but a busy machine needs a moment. */
const GONE_MS = 90_000;
/** Characters of output to keep per server process. */
const OUTPUT_LIMIT = 4_000_000;

export type Death = 'both' | 'launcher' | 'child';

export interface ServerSlot {
  /** Default: `up`, both roles in one process. */
  readonly command?: 'up' | 'api' | 'worker';
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
  readonly dataDir: string;
  readonly database: string;
}

/** One server process: the launcher and its child. */
export class ServerProcess {
  readonly pid: number;
  readonly exited: Promise<void>;
  /** What was done to it, in order. */
  readonly asked: string[] = [];
  exit: string | null = null;
  ready = false;
  output = '';
  readonly #child: ChildProcess;

  constructor(slot: ServerSlot, { token, secretKey }: Credentials) {
    const { command = 'up', port, dataDir, database, env } = slot;
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
        this.output = (this.output + text).slice(-OUTPUT_LIMIT);
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

  /** The launcher's children, which do the work; empty before they are started. */
  get children(): number[] {
    return childrenOf(this.pid);
  }

  /** Stops or continues the launcher and its children, like a machine that is suspended. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of [this.pid, ...this.children]) signal(pid, name);
  }

  terminate(): void {
    this.asked.push('term');
    this.#child.kill('SIGTERM');
  }

  kill(who: Death = 'both'): void {
    this.asked.push('kill');
    // Read before the launcher is killed: afterwards the children have another parent.
    const children = who === 'launcher' ? [] : this.children;
    if (who !== 'child' || children.length === 0) this.#child.kill('SIGKILL');
    for (const pid of children) signal(pid, 'SIGKILL');
  }
}

/**
 * If this process is killed, the guard's input ends and the guard kills the launcher, whose child
 * then exits on its own.
 */
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
    // It has already ended.
  }
}

/** A fixed set of server slots; each has at most one process at a time. */
export class Servers {
  readonly all: ServerProcess[] = [];
  readonly errors: string[] = [];
  readonly #slots: readonly ServerSlot[];
  readonly #credentials: Credentials;
  readonly #now: (ServerProcess | undefined)[];

  constructor(slots: readonly ServerSlot[], credentials: Credentials) {
    this.#slots = slots;
    this.#credentials = credentials;
    this.#now = slots.map(() => undefined);
  }

  get urls(): string[] {
    return this.#slots.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  get size(): number {
    return this.#slots.length;
  }

  static slot(directory: string, name: string, port: number, database: string | null): ServerSlot {
    const dataDir = join(directory, name);
    return { port, dataDir, database: database ?? `sqlite:${join(dataDir, 'baton.db')}` };
  }

  /** The process in a slot, unless it was asked to end. */
  running(slot: number): ServerProcess | undefined {
    const server = this.#now[slot];
    return server?.alive === true && server.asked.length === 0 ? server : undefined;
  }

  /** Starts a server in an empty slot, once the previous process has exited. */
  async start(slot: number): Promise<void> {
    const before = this.#now[slot];
    if (before !== undefined && !(await this.#gone(before))) return;
    if (this.#now[slot] !== before) return;
    const server = new ServerProcess(this.#slots[slot]!, this.#credentials);
    this.#now[slot] = server;
    this.all.push(server);
  }

  async #gone(server: ServerProcess): Promise<boolean> {
    if (server.asked.length === 0 && server.exit === null) return false;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), GONE_MS);
    const over = once(late.signal, 'abort').then(() => false);
    const gone = await Promise.race([server.exited.then(() => true), over]);
    clearTimeout(timer);
    if (!gone) this.errors.push(`server ${server.pid} still runs ${GONE_MS} ms after its end`);
    return gone;
  }

  /** Waits until all servers are ready; false on timeout. */
  async allReady(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    for (;;) {
      await Promise.all(this.#slots.map((_, slot) => this.start(slot)));
      if (this.#slots.every((_, slot) => this.running(slot)?.ready === true)) return true;
      if (performance.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Sends SIGTERM to all and waits up to `ms` for them to exit. */
  async stop(ms: number): Promise<void> {
    const living = this.all.filter((server) => server.alive);
    for (const server of living) if (server.asked.length === 0) server.terminate();
    const late = setTimeout(() => {
      for (const server of living) {
        if (server.exit !== null) continue;
        this.errors.push(`server ${server.pid}: did not exit within ${ms} ms of SIGTERM`);
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

  /** The lines logged about a request. */
  logLinesAbout(requestId: string): string {
    const lines = this.all.flatMap(({ output }) => output.split('\n'));
    return lines.filter((line) => line.includes(requestId)).join('\n');
  }

  lives(): ServerLife[] {
    return this.all.map(({ pid, asked, exit, output }) => ({
      pid,
      asked: [...asked],
      exit,
      lastOutput: output.slice(-1500),
    }));
  }
}
