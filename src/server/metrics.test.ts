import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { until } from '../../test/support/until.ts';
import { StoreAuthenticator } from '../access/store-authenticator.ts';
import { memoryStore } from '../queue/memory/store.ts';
import { RunQueue } from '../queue/run-queue.ts';
import { Worker } from '../queue/worker/worker.ts';
import { withAuthMetrics } from './auth-metrics.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { NodeFacts } from './metrics-facts.ts';
import { requestAuthenticator } from './request-authenticator.ts';

const NO_SESSIONS = { PENDING: 1, ACTIVE: 2, IDLE: 0, ERROR: 0, COMPLETED: 0, TERMINATED: 0 };

function factsOf(queue: RunQueue, worker: Worker): NodeFacts {
  return {
    counts: () => queue.counts(),
    countSessions: async () => NO_SESSIONS,
    worker,
    connections: () => 3,
    longPending: async () => 1,
    auditLines: async () => 17,
    pool: () => ({ total: 10, idle: 7, waiting: 2 }),
  };
}

/** The samples, without those of Node itself: name and labels → value. */
async function samples(metrics: Metrics): Promise<Record<string, number>> {
  const lines = (await metrics.text())
    .split('\n')
    .filter((line) => /^baton_(?!process|nodejs)/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test('[H7] docs/metrics.md names every metric and nothing else', async () => {
  const { registry } = createMetrics({ facts: () => null, version: '1' });
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(baton_\w+)` \| (\w+) \| ([^|]+) \|/gm)];
  const written = rows.map(([, name, type, labels]) => `${name} ${type} ${labels!.trim()}`);
  const known = (await registry.getMetricsAsJSON()).map(({ name, type }) => {
    const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
    return `${name} ${type} ${labelNames.map((label) => `\`${label}\``).join(', ') || '–'}`;
  });
  // Some of the process metrics exist only on Linux.
  const optional = (line: string): boolean => line.startsWith('baton_process_');
  expect(written.filter((line) => !optional(line)).sort()).toEqual(
    known.filter((line) => !optional(line)).sort(),
  );
  expect(written).toEqual(expect.arrayContaining(known));
});

test('[O4] runs: counts, waits, attempts and retries of a real worker', async () => {
  const queue = new RunQueue(memoryStore());
  let worker: Worker | null = null;
  const metrics = createMetrics({
    facts: () => (worker === null ? null : factsOf(queue, worker)),
    version: '1.2.3',
  });
  let failures = 1;
  queue.register('step', {
    payload: z.object({}),
    run: () => {
      if (failures-- > 0) throw new Error('once');
    },
  });
  const running = new Worker(queue, { onAttempt: metrics.attemptEnded, random: () => 0 });
  worker = running;
  onTestFinished(() => running.stop());
  await running.start();
  const [first, second] = await queue.enqueue([
    { type: 'step', payload: {}, lane: 'a' },
    { type: 'step', payload: {}, lane: 'b' },
  ]);
  await queue.cancel(second!.id);
  await until(async () => (await queue.get(first!.id))?.state === 'succeeded');
  await until(async () => (await samples(metrics))['baton_runs_executing'] === 0);
  const shown = await samples(metrics);
  expect(shown).toMatchObject({
    'baton_info{version="1.2.3"}': 1,
    baton_database_up: 1,
    'baton_sessions{status="ACTIVE"}': 2,
    baton_sessions_long_pending: 1,
    baton_connections: 3,
    baton_audit_lines: 17,
    'baton_database_pool_connections{state="busy"}': 3,
    'baton_database_pool_connections{state="waited_for"}': 2,
    baton_lease_losses_total: 0,
    baton_stopped: 0,
    'baton_run_retries_total{type="step"}': 1,
    'baton_attempts_total{type="step",outcome="retry_scheduled"}': 1,
    'baton_attempts_total{type="step",outcome="succeeded"}': expect.any(Number),
  });
  expect(shown['baton_run_wait_seconds_count{type="step"}']).toBeGreaterThanOrEqual(1);
  expect(shown['baton_lease_remaining_seconds']).toBeGreaterThan(0);
  await queue.store.setStop({ by: 'ann', reason: null });
  await until(async () => (await samples(metrics))['baton_stopped'] === 1);
});

test('[Q19] [O4] counts are read from the database once a second, however many ask', async () => {
  let now = 0;
  let asked = 0;
  const queue = new RunQueue(memoryStore());
  const facts = factsOf(queue, new Worker(queue));
  const metrics = createMetrics({
    facts: () => ({
      ...facts,
      counts: () => {
        asked++;
        return queue.counts();
      },
    }),
    version: '1',
    clock: () => now,
  });
  await Promise.all([metrics.text(), metrics.text()]);
  now = 999;
  await metrics.text();
  expect(asked).toBe(1);
  now = 1000;
  await metrics.text();
  expect(asked).toBe(2);
});

test('[O5] while the database is away, database_up is 0 and unknown values are left out', async () => {
  const queue = new RunQueue(memoryStore());
  const facts = factsOf(queue, new Worker(queue));
  const away: NodeFacts = { ...facts, counts: () => Promise.reject(new Error('away')) };
  for (const given of [away, null]) {
    const shown = await samples(createMetrics({ facts: () => given, version: '1' }));
    expect(shown['baton_database_up']).toBe(0);
    expect(Object.keys(shown).filter((name) => /^baton_(runs|sessions)\{/.test(name))).toEqual([]);
  }
});

test('[H7] requests are counted only by pattern, method and status class', async () => {
  const metrics = createMetrics({ facts: () => null, version: '1' });
  const route = '/api/v1/sessions/{id}';
  metrics.request(route, 'GET', 200, 0.02);
  metrics.request(route, 'GET', 204, 20);
  metrics.request('unmatched', 'PROPFIND', 404, 0.001);
  const shown = await samples(metrics);
  const labels = `route="${route}",method="GET",status="2xx"`;
  expect(shown[`baton_http_request_duration_seconds_count{${labels}}`]).toBe(2);
  expect(shown[`baton_http_request_duration_seconds_bucket{le="0.025",${labels}}`]).toBe(1);
  const other = 'route="unmatched",method="other",status="4xx"';
  expect(shown[`baton_http_request_duration_seconds_count{${other}}`]).toBe(1);
});

test('[O4] [X1] refusals by reason, sign-ins, and the time of authentication', async () => {
  const metrics = createMetrics({ facts: () => null, version: '1' });
  const refused = ['rate_limited', 'unauthorized', 'unauthorized', 'host_refused'] as const;
  for (const code of refused) metrics.refused(code);
  for (const code of ['not_found', 'database_unreachable'] as const) metrics.refused(code);
  const authenticator = new StoreAuthenticator({ adminToken: 'a-token-of-some-length' });
  const auth = withAuthMetrics(requestAuthenticator(authenticator), metrics);
  const from = { address: '192.0.2.1', requestId: '1' };
  const headers = { authorization: 'Bearer a-token-of-some-length' };
  expect(await auth.authenticate({ headers, method: 'GET', ...from })).not.toBeNull();
  metrics.signedIn(true);
  metrics.exchanged(false);
  metrics.reconciled(0.2);
  const shown = await samples(metrics);
  expect(shown).toMatchObject({
    'baton_requests_refused_total{reason="limit"}': 1,
    'baton_requests_refused_total{reason="credential"}': 2,
    'baton_requests_refused_total{reason="host"}': 1,
    baton_authentication_seconds_count: 1,
    'baton_sign_ins_total{result="ok"}': 1,
    'baton_limit_exchanges_total{result="failed"}': 1,
    baton_reconcile_seconds_count: 1,
  });
  const reasons = Object.keys(shown).filter((name) => name.startsWith('baton_requests_refused'));
  expect(reasons).toHaveLength(3);
});
