import { Counter, Gauge, type Registry } from 'prom-client';
import type { SessionStatus } from '../contract/session.ts';
import type { Counts } from '../queue/store.ts';
import { sharedRead } from './shared-read.ts';

/** What is known about a node and its database when somebody asks. */
export interface NodeFacts {
  counts(): Promise<Counts>;
  countSessions(): Promise<Record<SessionStatus, number>>;
  readonly worker: {
    /** Attempts under way here. */
    readonly executing: number;
    readonly leaseRemainingMs: number;
    readonly stats: {
      readonly leaseLosses: number;
      readonly takenOver: number;
      readonly stopped: boolean;
    };
  };
  /** Of people on sessions, on this node. */
  connections(): number;
  /** Sessions whose workspace takes unusually long. */
  longPending?(): Promise<number>;
  /** The number of the newest line of the audit log. */
  auditLines?(): Promise<number>;
  /** Of the database, where there is a pool. */
  pool?(): { readonly total: number; readonly idle: number; readonly waiting: number };
}

/** How old numbers from the database may be. */
const FRESH_MS = 1000;
/** A database that has not answered after this is down, for this time. */
const PATIENCE_MS = 2000;

/** What is read from the database, all at once. */
interface Read {
  readonly runs: Counts;
  readonly sessions: Record<SessionStatus, number>;
  readonly longPending: number | null;
  readonly auditLines: number | null;
}

/** Adds what is read at the time it is asked for. What is not known is left out, not zero. */
export function addFacts(
  registry: Registry,
  facts: () => NodeFacts | null,
  clock: () => number,
): void {
  const read = remembered(
    sharedRead(() => readAll(facts()), PATIENCE_MS),
    clock,
  );
  const registers = [registry];
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    fill: (gauge: Gauge<L>) => void | Promise<void>,
  ) =>
    new Gauge({
      name: `baton_${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        this.reset();
        await fill(this);
      },
    });
  const counter = (name: string, help: string, value: (facts: NodeFacts) => number) =>
    new Counter({
      name: `baton_${name}`,
      help,
      registers,
      collect() {
        const known = facts();
        this.reset();
        if (known !== null) this.inc(value(known));
      },
    });

  gauge('database_up', 'Whether the database answers', [], async (to) => {
    to.set((await read()) === null ? 0 : 1);
  });
  gauge('runs', 'Runs by state, in the whole cluster', ['state'], async (to) => {
    for (const [state, count] of Object.entries((await read())?.runs ?? {}))
      to.set({ state }, count);
  });
  gauge('sessions', 'Sessions by status, in the whole cluster', ['status'], async (to) => {
    const sessions = Object.entries((await read())?.sessions ?? {});
    for (const [status, count] of sessions) to.set({ status }, count);
  });
  gauge(
    'sessions_long_pending',
    'Sessions that are prepared for unusually long',
    [],
    async (to) => {
      const known = (await read())?.longPending ?? null;
      if (known === null) to.remove();
      else to.set(known);
    },
  );
  gauge('audit_lines', 'Lines of the audit log, by the number of the newest', [], async (to) => {
    const known = (await read())?.auditLines ?? null;
    if (known === null) to.remove();
    else to.set(known);
  });
  gauge('stopped', 'Whether everything is stopped, as this node sees it', [], (to) => {
    const known = facts();
    if (known !== null) to.set(known.worker.stats.stopped ? 1 : 0);
  });
  gauge('runs_executing', 'Attempts under way on this node', [], (to) => {
    to.set(facts()?.worker.executing ?? 0);
  });
  gauge('lease_remaining_seconds', "What is left of this node's lease", [], (to) => {
    to.set((facts()?.worker.leaseRemainingMs ?? 0) / 1000);
  });
  gauge('connections', 'Connections of people on sessions, on this node', [], (to) => {
    to.set(facts()?.connections() ?? 0);
  });
  gauge('database_pool_connections', 'Connections to the database', ['state'], (to) => {
    const pool = facts()?.pool?.();
    if (pool === undefined) return;
    to.set({ state: 'idle' }, pool.idle);
    to.set({ state: 'busy' }, pool.total - pool.idle);
    to.set({ state: 'waited_for' }, pool.waiting);
  });
  counter(
    'lease_losses_total',
    'Times this node lost its lease',
    ({ worker }) => worker.stats.leaseLosses,
  );
  counter(
    'runs_taken_over_total',
    'Runs of dead nodes that this node put back; each counts a crash',
    ({ worker }) => worker.stats.takenOver,
  );
}

async function readAll(facts: NodeFacts | null): Promise<Read | null> {
  if (facts === null) return null;
  const [runs, sessions, longPending, auditLines] = await Promise.all([
    facts.counts(),
    facts.countSessions(),
    facts.longPending?.() ?? null,
    facts.auditLines?.() ?? null,
  ]);
  return { runs, sessions, longPending, auditLines };
}

/** One reading for all who ask within a second. */
function remembered<T>(read: () => Promise<T>, clock: () => number): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | null = null;
  return () => {
    if (last === null || clock() - last.at >= FRESH_MS) last = { at: clock(), value: read() };
    return last.value;
  };
}
