import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { seeded } from '../../test/support/seeded.ts';
import type { Death, ServerProcess, Servers } from '../api/servers.ts';
import { APIS, LEASE_SECONDS, OUTAGE_MS } from './setup.ts';
import type { Trace } from './trace.ts';

export interface FaultCounts {
  kills: number;
  restarts: number;
  pauses: number;
  outages: number;
}

const KINDS = ['kill', 'restart', 'kill', 'pause'] as const;
const DEATHS: readonly Death[] = ['both', 'launcher', 'child'];

/** Breaks each node in turn and in every way, and at the same time the database. */
export class Faults {
  readonly counts: FaultCounts = { kills: 0, restarts: 0, pauses: 0, outages: 0 };
  readonly #servers: Servers;
  readonly #postgres: PostgresServer;
  readonly #trace: Trace;
  readonly #seed: number;
  readonly #ending = new AbortController();
  readonly #paused = new Set<ServerProcess>();
  readonly #coming = new Set<Promise<void>>();

  constructor(servers: Servers, postgres: PostgresServer, trace: Trace, seed: number) {
    this.#servers = servers;
    this.#postgres = postgres;
    this.#trace = trace;
    this.#seed = seed;
  }

  /** Resolves when the time is over and everything broken is restarting. */
  async run(ms: number): Promise<void> {
    const over = setTimeout(() => this.#ending.abort(), ms);
    await Promise.all([this.#breakNodes(), this.#breakDatabase()]);
    clearTimeout(over);
    await Promise.all(this.#coming);
    await this.#postgres.start();
  }

  async #breakNodes(): Promise<void> {
    const random = seeded(this.#seed);
    let left: { kind: (typeof KINDS)[number]; slot: number }[] = [];
    while (await this.#wait(1000 + random() * 3500)) {
      if (left.length === 0)
        left = KINDS.flatMap((kind) =>
          Array.from({ length: this.#servers.size }, (_, slot) => ({ kind, slot })),
        );
      const [turn] = left.splice(Math.floor(random() * left.length), 1);
      const times = [random(), random(), random()] as const;
      const server = this.#servers.running(turn!.slot);
      if (server === undefined || this.#paused.has(server) || server.output === '') continue;
      const doing = this.#break(turn!.kind, server, turn!.slot, times);
      this.#coming.add(doing);
      void doing.then(() => this.#coming.delete(doing));
    }
  }

  async #break(
    kind: (typeof KINDS)[number],
    server: ServerProcess,
    slot: number,
    [one, two, three]: readonly [number, number, number],
  ): Promise<void> {
    if (kind === 'pause') {
      this.counts.pauses++;
      this.#paused.add(server);
      this.#cut(server, slot);
      server.signal('SIGSTOP');
      // Usually longer than the lease: other nodes have taken over when it continues.
      await this.#wait((0.5 + 1.5 * one) * LEASE_SECONDS * 1000);
      server.signal('SIGCONT');
      this.#paused.delete(server);
      return;
    }
    if (kind === 'kill') {
      this.counts.kills++;
      this.#cut(server, slot);
      server.kill(DEATHS[Math.floor(one * DEATHS.length)]);
    } else {
      this.counts.restarts++;
      server.terminate();
      await Promise.race([server.exited, this.#wait(1000 + one * 8000)]);
      // Runs have 30 s of grace; someone restarting a node in a hurry does not wait for it.
      if (server.exit === null) this.#cut(server, slot);
      if (server.exit === null && three < 0.5) server.kill();
      else if (server.exit === null) server.terminate();
    }
    if (await this.#wait(300 + two * 4000)) await this.#servers.start(slot);
  }

  #cut(server: ServerProcess, slot: number): void {
    if (slot >= APIS) this.#trace.cut(server.children);
  }

  async #breakDatabase(): Promise<void> {
    const random = seeded(this.#seed + 1);
    for (let first = true; ; first = false) {
      const waitMs = first ? 8000 + random() * 8000 : 25_000 + random() * 50_000;
      if (!(await this.#wait(waitMs))) return;
      const mode = random() < 0.5 ? 'fast' : 'immediate';
      const long = random() < 0.4 || first;
      const downMs = long ? OUTAGE_MS : 300 + random() ** 2 * 6000;
      this.#trace.cut('all');
      await this.#postgres.stop(mode);
      this.counts.outages++;
      await this.#wait(downMs);
      await this.#postgres.start();
    }
  }

  /** False if the faults are to end. */
  #wait(ms: number): Promise<boolean> {
    const { signal } = this.#ending;
    return delay(ms, true, { signal }).catch(() => false);
  }
}
