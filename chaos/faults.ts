import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { seeded } from '../test/support/seeded.ts';
import { HOSTS, LEASE_MS } from './setup.ts';
import type { Workers } from './workers.ts';

export interface FaultCounts {
  kills: number;
  stops: number;
  restarts: number;
  terminated: number;
  deafened: number;
}

const PROCESS_FAULTS = ['kill', 'stop'] as const;
const DATABASE_FAULTS = [
  'terminate',
  'deafen',
  'fast',
  'terminate',
  'deafen',
  'immediate',
] as const;

/**
 * Breaks things by a seeded plan: one sequence of faults for the processes and one for the database,
 * in parallel, so that they also overlap. Every kind occurs once before any is repeated.
 */
export class Faults {
  readonly counts: FaultCounts = { kills: 0, stops: 0, restarts: 0, terminated: 0, deafened: 0 };
  readonly #server: PostgresServer;
  readonly #workers: Workers;
  readonly #seed: number;
  readonly #ending = new AbortController();

  constructor(server: PostgresServer, workers: Workers, seed: number) {
    this.#server = server;
    this.#workers = workers;
    this.#seed = seed;
  }

  /** Resolves when the time is over and everything broken is restored. */
  async run(ms: number): Promise<void> {
    const over = setTimeout(() => this.#ending.abort(), ms);
    await Promise.all([this.#breakProcesses(), this.#breakDatabase()]);
    clearTimeout(over);
    this.#workers.resumeAll();
    this.#workers.startAll();
    await this.#server.start();
  }

  async #breakProcesses(): Promise<void> {
    const random = seeded(this.#seed);
    const turn = inTurn(PROCESS_FAULTS, random);
    while (await this.#wait(600 + random() * 1800)) {
      const kind = turn();
      const slot = Math.floor(random() * HOSTS.length);
      const ms = random();
      const worker = this.#workers.running(slot);
      if (worker === undefined) continue;
      if (kind === 'kill') {
        worker.kill();
        this.counts.kills++;
        void this.#wait(100 + ms * 2500).then((on) => on && this.#workers.start(slot));
      } else {
        worker.pause();
        this.counts.stops++;
        // From well within the lease to long after its end.
        void this.#wait(300 + ms * 2.5 * LEASE_MS).then(() => worker.alive && worker.resume());
      }
    }
  }

  async #breakDatabase(): Promise<void> {
    const random = seeded(this.#seed + 1);
    const turn = inTurn(DATABASE_FAULTS, random);
    while (await this.#wait(800 + random() * 2000)) {
      const kind = turn();
      const [a, b] = [random(), random()];
      if (kind === 'terminate') this.counts.terminated += await this.#terminate('', a, b);
      else if (kind === 'deafen') {
        // Several times, because each listener soon reconnects.
        for (let i = 0; i < 4 && !this.#ending.signal.aborted; i++) {
          this.counts.deafened += await this.#terminate(`AND query LIKE 'LISTEN%'`, 0, 1);
          await this.#wait(150 + a * 300);
        }
      } else {
        await this.#server.stop(kind);
        this.counts.restarts++;
        await this.#wait(500 + a * 4500);
        await this.#server.start();
      }
    }
  }

  /** Terminates a part of the connections, starting at one of them. */
  async #terminate(which: string, from: number, part: number): Promise<number> {
    const client = new pg.Client({ connectionString: this.#server.url });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'baton' ${which} ORDER BY pid`,
      );
      const first = Math.floor(from * rows.length);
      const chosen = rows.slice(first, first + Math.ceil(part * rows.length)).map(({ pid }) => pid);
      await client.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [
        chosen,
      ]);
      return chosen.length;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** False if the faults are to end. */
  #wait(ms: number): Promise<boolean> {
    const { signal } = this.#ending;
    return delay(ms, true, { signal }).catch(() => false);
  }
}

function inTurn<T>(kinds: readonly T[], random: () => number): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...kinds];
    const [kind] = left.splice(Math.floor(random() * left.length), 1);
    return kind as T;
  };
}
