import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry, ProcessLife } from './check/evidence.ts';
import { HOSTS, monotonic, type WorkerSetup } from './setup.ts';

const program = fileURLToPath(new URL('./worker-program.ts', import.meta.url));

class WorkerProcess {
  readonly pid: number;
  readonly host: string;
  readonly exited: Promise<unknown>;
  killedAt: number | null = null;
  paused = false;
  exit: string | null = null;
  output = '';
  readonly #child: ChildProcess;

  constructor(setup: WorkerSetup) {
    this.#child = spawn(process.execPath, [program, JSON.stringify(setup)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Stripping types takes longer than a short lease on a busy machine.
      env: { NODE_COMPILE_CACHE: join(tmpdir(), 'baton-test-compile-cache'), ...process.env },
    });
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('a worker could not be started');
    this.pid = pid;
    this.host = setup.host;
    const guard = guardOf(pid);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-20_000);
      });
    }
    this.exited = once(this.#child, 'close').then(([code, signal]) => {
      guard.kill('SIGKILL');
      if (this.killedAt === null) this.exit = String(code ?? signal);
    });
  }

  get alive(): boolean {
    return this.exit === null && this.killedAt === null;
  }

  kill(): void {
    this.killedAt = monotonic();
    this.#child.kill('SIGKILL');
  }

  pause(): void {
    this.paused = true;
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.paused = false;
    this.#child.kill('SIGCONT');
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }
}

/**
 * If this process is killed, the guard's input ends and the guard kills the worker, even a stopped
 * one.
 */
const guardOf = (pid: number): ChildProcess =>
  spawn('sh', ['-c', 'cat >/dev/null; kill -KILL "$1"', 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

/** A fixed set of worker slots; each has at most one process at a time. */
export class Workers {
  readonly all: WorkerProcess[] = [];
  readonly #slots: (WorkerProcess | undefined)[] = HOSTS.map(() => undefined);
  readonly #setup: { url: string; directory: string; seed: number };

  constructor(setup: { url: string; directory: string; seed: number }) {
    this.#setup = setup;
  }

  start(slot: number): void {
    if (this.#slots[slot]?.alive === true) return;
    const { url, directory, seed } = this.#setup;
    const setup: WorkerSetup = {
      url,
      file: join(directory, `worker-${this.all.length}`),
      host: HOSTS[slot]!,
      seed: seed * 1000 + this.all.length,
    };
    const worker = new WorkerProcess(setup);
    this.#slots[slot] = worker;
    this.all.push(worker);
  }

  startAll(): void {
    for (const slot of HOSTS.keys()) this.start(slot);
  }

  /** The process in a slot, if it runs. */
  running(slot: number): WorkerProcess | undefined {
    const worker = this.#slots[slot];
    return worker?.alive === true && !worker.paused ? worker : undefined;
  }

  resumeAll(): void {
    for (const worker of this.all) if (worker.alive && worker.paused) worker.resume();
  }

  livePids(): number[] {
    return this.all.filter((worker) => worker.alive).map(({ pid }) => pid);
  }

  /** Sends SIGTERM to all and waits up to `ms` for them to exit. */
  async stop(ms: number): Promise<void> {
    const living = this.all.filter((worker) => worker.alive);
    for (const worker of living) worker.terminate();
    const late = setTimeout(() => {
      for (const worker of living) {
        if (worker.exit !== null) continue;
        worker.kill();
        worker.exit = `did not exit within ${ms} ms of SIGTERM`;
      }
    }, ms);
    await Promise.all(this.all.map(({ exited }) => exited));
    clearTimeout(late);
  }

  killAll(): void {
    for (const worker of this.all) if (worker.exit === null) worker.kill();
  }

  lives(): ProcessLife[] {
    return this.all.map(({ pid, host, killedAt, exit }) => ({ pid, host, killedAt, exit }));
  }

  records(): Entry[] {
    return this.all.flatMap((_, i) => {
      const text = readOrNothing(join(this.#setup.directory, `worker-${i}`));
      // The kill may have truncated the last line.
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Entry);
    });
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The worker was killed before it wrote anything.
    return '';
  }
}
