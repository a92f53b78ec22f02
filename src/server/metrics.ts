import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorCode } from '../contract/errors.ts';
import type { AttemptEnd } from '../queue/worker/attempt-log.ts';
import { addFacts, type NodeFacts } from './metrics-facts.ts';

export interface MetricsOptions {
  /** Values read on collection; null until the database is open. */
  readonly facts: () => NodeFacts | null;
  readonly version: string;
  readonly clock?: () => number;
}

/**
 * All metrics of a node, for Prometheus (H7). The hooks are plain functions, so their callers do
 * not depend on this file. Labels are few and fixed: never an id, a name or a requested path.
 * docs/metrics.md lists them all.
 */
export type Metrics = ReturnType<typeof createMetrics>;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const FAST_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram buckets for operations that are mostly served from a cache. */
const QUICK_S = [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5];
const SLOW_S = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];

/** The reasons why well-formed requests are refused; other errors are not counted as refusals. */
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'limit',
  too_many_streams: 'limit',
  queue_full: 'limit',
  unauthorized: 'credential',
  sign_in_failed: 'credential',
  forbidden: 'right',
  origin_refused: 'origin',
  host_refused: 'host',
};

export function createMetrics({ facts, version, clock = Date.now }: MetricsOptions) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'baton_' });
  addFacts(registry, facts, clock);
  const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name: `baton_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: L[] = [],
  ) => new Histogram({ name: `baton_${name}`, help, buckets, labelNames, registers });

  const info = new Gauge({
    name: 'baton_info',
    help: 'The running version; always 1',
    labelNames: ['version'],
    registers,
  });
  info.set({ version }, 1);

  const requests = histogram('http_request_duration_seconds', 'Time to handle a request', FAST_S, [
    'route',
    'method',
    'status',
  ]);
  const refusals = counter('requests_refused_total', 'Requests and upgrades that were refused', [
    'reason',
  ]);
  const authentication = histogram(
    'authentication_seconds',
    'Time to authenticate a request',
    QUICK_S,
  );
  const signIns = counter('sign_ins_total', 'Sign-in attempts by browsers', ['result']);
  const exchanges = counter(
    'limit_exchanges_total',
    'Exchanges of request counts with other nodes',
    ['result'],
  );
  const streamsOpen = new Gauge({
    name: 'baton_streams_open',
    help: 'Open streams on this node',
    labelNames: ['kind'],
    registers,
  });
  const streamsOpened = counter('streams_opened_total', 'Number of streams opened', ['kind']);
  const streamsDropped = counter(
    'streams_dropped_total',
    'Streams closed because their reader was too slow',
    ['kind'],
  );
  const runWait = histogram(
    'run_wait_seconds',
    'Time from when a run is ready to start until it first starts',
    SLOW_S,
    ['type'],
  );
  const attempts = counter('attempts_total', 'Attempts that ended on this node', [
    'type',
    'outcome',
  ]);
  const attemptTime = histogram('attempt_duration_seconds', 'Duration of attempts', SLOW_S, [
    'type',
    'outcome',
  ]);
  const retries = counter('run_retries_total', "Attempts after a run's first", ['type']);
  const ready = histogram(
    'session_ready_seconds',
    'Time from requesting a session until it is ready',
    SLOW_S,
  );
  const creationsFailed = counter(
    'session_creations_failed_total',
    'Sessions that could not be created or prepared; refused requests are not counted',
  );
  const leftovers = counter(
    'leftovers_stopped_total',
    'Agent processes that outlived their node and were stopped',
  );
  const passes = histogram(
    'reconcile_seconds',
    'Duration of one reconciler pass over all sessions',
    FAST_S,
  );
  const masked = counter('secrets_masked_total', 'Secrets replaced by a mask', ['kind']);
  const denied = counter('policy_denied_total', 'Messages and tool calls that the rules denied', [
    'what',
  ]);
  const cost = counter('agent_cost_usd_total', 'Cost of agents, in US dollars', ['agent']);

  return {
    /** Called when a request has finished; `route` is the path in the contract. */
    request(route: string, method: string, status: number, seconds: number): void {
      const known = METHODS.has(method) ? method : 'other';
      requests.observe({ route, method: known, status: `${Math.floor(status / 100)}xx` }, seconds);
    },
    /** Called when the response to a request or an upgrade is an error. */
    refused(code: ErrorCode): void {
      const reason = REFUSALS[code];
      if (reason !== undefined) refusals.inc({ reason });
    },
    authenticated(seconds: number): void {
      authentication.observe(seconds);
    },
    signedIn(ok: boolean): void {
      signIns.inc({ result: ok ? 'ok' : 'failed' });
    },
    /** Reports an exchange of limits. */
    exchanged(ok: boolean): void {
      exchanges.inc({ result: ok ? 'ok' : 'failed' });
    },
    /** Reports how long a pass of the session reconciler took. */
    reconciled(seconds: number): void {
      passes.observe(seconds);
    },
    streamOpened(kind: string): void {
      streamsOpen.inc({ kind });
      streamsOpened.inc({ kind });
    },
    streamClosed(kind: string): void {
      streamsOpen.dec({ kind });
    },
    streamDropped(kind: string): void {
      streamsDropped.inc({ kind });
    },
    /** For the worker's `onAttempt`. */
    attemptEnded({ run, outcome, ms }: AttemptEnd): void {
      const { type } = run;
      attempts.inc({ type, outcome });
      attemptTime.observe({ type, outcome }, ms / 1000);
      if (run.attempts > 1) retries.inc({ type });
      else if (run.crashes === 0) runWait.observe({ type }, waitOf(run));
    },
    sessionReady(seconds: number): void {
      ready.observe(seconds);
    },
    creationFailed(): void {
      creationsFailed.inc();
    },
    leftoversStopped(count: number): void {
      leftovers.inc(count);
    },
    /** For the masker's `onMasked`. */
    secretMasked(name: string): void {
      masked.inc({ kind: name.toLowerCase() });
    },
    policyDenied(what: 'message' | 'call'): void {
      denied.inc({ what });
    },
    agentCost(agent: string, usd: number): void {
      cost.inc({ agent }, usd);
    },
    text: (): Promise<string> => registry.metrics(),
    registry,
  };
}

/**
 * How long the run waited, in seconds. The last change to a claimed run was its claim, so
 * `updatedAt` is on the same clock.
 */
const waitOf = ({ createdAt, runAt, updatedAt }: AttemptEnd['run']): number =>
  Math.max(0, updatedAt - Math.max(createdAt, runAt ?? 0)) / 1000;
