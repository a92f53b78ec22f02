import { Counter, Gauge, type Registry } from 'prom-client';
import type { SessionStatus } from '../contract/session.ts';
import type { Counts } from '../queue/store.ts';
import { sharedRead } from './shared-read.ts';

/** Values from a node and its database that are read when metrics are collected. */
export interface NodeFacts {
  counts(): Promise<Counts>;
  countSessions(): Promise<Record<SessionStatus, number>>;
  readonly worker: {
    /** Attempts in progress on this node. */
    readonly executing: number;
    readonly leaseRemainingMs: number;
    readonly stats: {
      readonly leaseLosses: number;
      readonly takenOver: number;
      readonly stopped: boolean;
    };
  };
  /** Open user connections to sessions on this node. */
  connections(): number;
  /** Sessions whose workspace takes unusually long to prepare. */
  longPending?(): Promise<number>;
  /** The number of the newest audit log entry. */
  auditLines?(): Promise<number>;
  /** Connections to the database, if it has a pool. */
  pool?(): { readonly total: number; readonly idle: number; readonly waiting: number };
}

/** The maximum age of values from the database. */
const FRESH_MS = 1000;
/**
 * If the database has not responded after this time, it is reported as down for this collection.
 */
const PATIENCE_MS = 2000;

/** The values that are read from the database together. */
interface Read {
  readonly runs: Counts;
  readonly sessions: Record<SessionStatus, number>;
  readonly longPending: number | null;
  readonly auditLines: number | null;
}

/**
 * Adds the metrics that are read on collection. Unknown values are left out, not reported as zero.
 */
export function addFacts(
  registry: Registry,
  facts: () => NodeFacts | null,
  clock: () => number,
): void {
  const read = cached(
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

  gauge('database_up', 'Whether the database is responding', [], async (to) => {
    to.set((await read()) === null ? 0 : 1);
  });
  gauge('runs', 'Runs by state, across the whole cluster', ['state'], async (to) => {
    for (const [state, count] of Object.entries((await read())?.runs ?? {}))
      to.set({ state }, count);
  });
  gauge('sessions', 'Sessions by status, across the whole cluster', ['status'], async (to) => {
    const sessions = Object.entries((await read())?.sessions ?? {});
    for (const [status, count] of sessions) to.set({ status }, count);
  });
  gauge(
    'sessions_long_pending',
    'Sessions whose workspace has been in preparation for more than five minutes',
    [],
    async (to) => {
      const known = (await read())?.longPending ?? null;
      if (known === null) to.remove();
      else to.set(known);
    },
  );
  gauge('audit_lines', 'Lines in the audit log (the newest one’s number)', [], async (to) => {
    const known = (await read())?.auditLines ?? null;
    if (known === null) to.remove();
    else to.set(known);
  });
  gauge('stopped', '1 while everything is stopped, as this node sees it', [], (to) => {
    const known = facts();
    if (known !== null) to.set(known.worker.stats.stopped ? 1 : 0);
  });
  gauge('runs_executing', 'Attempts in progress on this node', [], (to) => {
    to.set(facts()?.worker.executing ?? 0);
  });
  gauge('lease_remaining_seconds', "Time left on this node's lease", [], (to) => {
    to.set((facts()?.worker.leaseRemainingMs ?? 0) / 1000);
  });
  gauge('connections', 'Open user connections to sessions on this node', [], (to) => {
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
    'Number of times this node lost its lease',
    ({ worker }) => worker.stats.leaseLosses,
  );
  counter(
    'runs_taken_over_total',
    'Runs of dead nodes that this node requeued; each counts as a crash',
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

/** One read for all callers within a second. */
function cached<T>(read: () => Promise<T>, clock: () => number): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | null = null;
  return () => {
    if (last === null || clock() - last.at >= FRESH_MS) last = { at: clock(), value: read() };
    return last.value;
  };
}
