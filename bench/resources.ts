import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';

/** Settings of a careful operator on a small server; everything else is PostgreSQL's default. */
const SERVER_SETTINGS = {
  shared_buffers: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  max_wal_size: '2GB',
};

const COMPILE_CACHE = join(tmpdir(), 'baton-bench-compile-cache');

export interface Database {
  readonly url: string;
  /** Runs a statement outside the queue, for seeding and counting. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Vacuums, analyses and checkpoints, as if the seeded tables had existed for a while. */
  vacuum(): Promise<void>;
  drop(): Promise<void>;
}

/** A separate process that reports through messages. */
export interface Program {
  readonly process: ChildProcess;
  next(): Promise<unknown>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Owns the database server, processes and directories of the benchmarks, and removes them all. */
export class Resources {
  #server: Promise<PostgresServer> | null = null;
  #databases = 0;
  readonly #open = new Set<() => Promise<void>>();
  readonly #programs = new Set<Program>();
  readonly #directories = new Set<string>();

  /** An empty database on the server that all contenders share. */
  async database(): Promise<Database> {
    this.#server ??= startPostgres({ settings: SERVER_SETTINGS });
    const { url } = await this.#server;
    const name = `bench_${++this.#databases}`;
    await onServer(url, `CREATE DATABASE ${name}`);
    const own = new URL(url);
    own.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: own.href });
    client.on('error', () => {});
    await client.connect();
    const close = (): Promise<void> => client.end();
    this.#open.add(close);
    return {
      url: own.href,
      query: async (text, values) => (await client.query(text, values && [...values])).rows,
      vacuum: async () => {
        await client.query('VACUUM ANALYZE');
        await client.query('CHECKPOINT');
      },
      drop: async () => {
        this.#open.delete(close);
        await close();
        await onServer(url, `DROP DATABASE ${name} WITH (FORCE)`);
      },
    };
  }

  /** A database server for one case, which may stop and start it. */
  async server(): Promise<PostgresServer> {
    const server = await startPostgres({ settings: SERVER_SETTINGS });
    this.#open.add(() => server.remove());
    return server;
  }

  /** Registers anything else that a case has opened and that must not outlive the benchmark. */
  own(close: () => Promise<void>): void {
    this.#open.add(close);
  }

  async serverVersion(): Promise<string> {
    const database = await this.database();
    const [row] = await database.query<{ server_version: string }>('SHOW server_version');
    await database.drop();
    return row!.server_version;
  }

  directory(): string {
    const path = mkdtempSync(join(tmpdir(), 'baton-bench-'));
    this.#directories.add(path);
    return path;
  }

  /** Starts one of bench/programs. */
  program(name: string, setup: object, flags: readonly string[] = []): Program {
    const file = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));
    const child = fork(file, [JSON.stringify(setup)], {
      execArgv: [...process.execArgv, ...flags],
      // As the launcher sets it; otherwise every start spends time and memory on stripping types.
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    });
    const messages: unknown[] = [];
    let wake = (): void => {};
    let ended = false;
    child.on('message', (message) => {
      messages.push(message);
      wake();
    });
    child.on('exit', () => {
      ended = true;
      wake();
    });
    const program: Program = {
      process: child,
      next: async () => {
        while (messages.length === 0) {
          if (ended) throw new Error(`${name} ended before it sent its message`);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return messages.shift();
      },
      stop: async (signal = 'SIGTERM') => {
        this.#programs.delete(program);
        if (ended) return;
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      },
    };
    this.#programs.add(program);
    return program;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#programs].map((program) => program.stop('SIGKILL')));
    await Promise.allSettled([...this.#open].map((close) => close()));
    this.#open.clear();
    const server = await this.#server?.catch(() => null);
    this.#server = null;
    await server?.remove();
    for (const path of this.#directories) rmSync(path, { recursive: true, force: true });
    this.#directories.clear();
  }
}

async function onServer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
