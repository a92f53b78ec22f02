import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { seeded } from '../../test/support/seeded.ts';
import type { Death, Servers } from './servers.ts';

export interface FaultCounts {
  kills: number;
  stops: number;
  restarts: number;
}

const SERVER_FAULTS = ['both', 'term', 'launcher', 'term', 'child'] as const;

/** Breaks servers and the database in two parallel, seeded sequences. */
export class Faults {
  readonly counts: FaultCounts = { kills: 0, stops: 0, restarts: 0 };
  readonly #servers: Servers;
  readonly #postgres: PostgresServer | null;
  readonly #seed: number;
  readonly #ending = new AbortController();

  constructor(servers: Servers, postgres: PostgresServer | null, seed: number) {
    this.#servers = servers;
    this.#postgres = postgres;
    this.#seed = seed;
  }

  /** Resolves when the time is over and everything broken is restarting. */
  async run(ms: number): Promise<void> {
    const over = setTimeout(() => this.#ending.abort(), ms);
    await Promise.all([this.#breakServers(), this.#breakDatabase()]);
    clearTimeout(over);
    await this.#postgres?.start();
  }

  async #breakServers(): Promise<void> {
    const random = seeded(this.#seed);
    let left: (Death | 'term')[] = [];
    while (await this.#wait(900 + random() * 3000)) {
      if (left.length === 0) left = [...SERVER_FAULTS];
      const [kind] = left.splice(Math.floor(random() * left.length), 1);
      const slot = Math.floor(random() * this.#servers.size);
      const [downMs, graceMs] = [300 + random() * 2700, 500 + random() * 6000];
      const server = this.#servers.running(slot);
      if (server === undefined || kind === undefined) continue;
      // Before its first output the launcher may have no signal handler yet, and a signal would kill it.
      if (kind === 'term' && server.output === '') continue;
      if (kind === 'term') {
        this.counts.stops++;
        server.terminate();
        // Not awaited: the other server may die at the same time.
        void this.#afterTerm(server, slot, downMs, graceMs);
      } else {
        this.counts.kills++;
        server.kill(kind);
        void this.#wait(downMs).then((on) => (on ? this.#servers.start(slot) : undefined));
      }
    }
  }

  async #afterTerm(
    server: NonNullable<ReturnType<Servers['running']>>,
    slot: number,
    downMs: number,
    graceMs: number,
  ): Promise<void> {
    await Promise.race([server.exited, this.#wait(graceMs)]);
    // Runs have 30 s of grace; someone restarting a server in a hurry does not wait for it.
    if (server.exit === null && downMs > 1500) server.kill();
    else if (server.exit === null) server.terminate();
    if (await this.#wait(downMs)) await this.#servers.start(slot);
  }

  async #breakDatabase(): Promise<void> {
    const postgres = this.#postgres;
    if (postgres === null) return;
    const random = seeded(this.#seed + 1);
    for (let first = true; ; first = false) {
      const waitMs = first ? 3000 + random() * 4000 : 8000 + random() * 12_000;
      if (!(await this.#wait(waitMs))) return;
      const mode = random() < 0.5 ? 'fast' : 'immediate';
      // From 0.3 s to longer than the lease.
      const downMs = 300 + random() ** 2 * 5000;
      await postgres.stop(mode);
      this.counts.restarts++;
      await this.#wait(downMs);
      await postgres.start();
    }
  }

  /** False if the faults are to end. */
  #wait(ms: number): Promise<boolean> {
    const { signal } = this.#ending;
    return delay(ms, true, { signal }).catch(() => false);
  }
}
