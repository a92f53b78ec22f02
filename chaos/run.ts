import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { postgresQueue, type RunQueue } from '../src/library.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { check } from './check/check.ts';
import type { Evidence, Violation } from './check/evidence.ts';
import { collect, nodesIn } from './collect.ts';
import { drain, pauseSchedules } from './drain.ts';
import { Driver } from './driver.ts';
import { type FaultCounts, Faults } from './faults.ts';
import { hostLines } from './host-lines.ts';
import { Reader } from './readers.ts';
import { CAPS, CONCURRENCY, LEASE_MS, STEADY, UNSTEADY } from './setup.ts';
import { Workers } from './workers.ts';

export interface ChaosOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Operations of the driver per second. */
  readonly rate?: number;
  readonly drainMs?: number;
  readonly say?: (line: string) => void;
}

export interface ChaosResult extends FaultCounts {
  readonly runs: number;
  readonly events: number;
  readonly executions: number;
  readonly drainedMs: number;
  readonly violations: readonly Violation[];
  /** The last output of worker processes, for the analysis of a violation. */
  readonly outputs: readonly string[];
}

/** All of these run, even if one fails. */
type Cleanup = (() => unknown)[];

export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const cleanup: Cleanup = [];
  try {
    return await play(options, cleanup);
  } finally {
    for (const each of cleanup.reverse()) await each();
  }
}

async function play(options: ChaosOptions, cleanup: Cleanup): Promise<ChaosResult> {
  const { seconds, seed, rate = 60, drainMs = 60_000, say = () => {} } = options;
  const directory = mkdtempSync(join(tmpdir(), 'baton-chaos-'));
  cleanup.push(() => rmSync(directory, { recursive: true, force: true }));
  // The rules need the order in which transactions were committed.
  const server = await startPostgres({ settings: { track_commit_timestamp: 'on' } });
  cleanup.push(() => server.remove());
  const { url } = server;
  const queue = await openQueue(url, cleanup);
  const driver = new Driver(queue, seed);
  await driver.prepare();
  for (const id of [...STEADY, UNSTEADY]) await queue.schedule(scheduleOf(id));
  const workers = new Workers({ url, directory, seed });
  cleanup.push(() => workers.killAll());
  workers.startAll();
  // One keeps its tails, the other replaces them again and again.
  const readers = [await Reader.open(url), await Reader.open(url, 20)];
  for (const reader of readers) {
    cleanup.push(() => reader.close());
    reader.start();
  }
  const faults = new Faults(server, workers, seed);
  const driving = driver.run(rate);
  say(`chaos: ${seconds} s with seed ${seed}`);
  await faults.run(seconds * 1000);
  driver.stop();
  await driving;

  say('chaos: the faults have ended; draining');
  const began = performance.now();
  // Gives the schedulers time to recover: the rules judge the last ticks on a healthy system.
  await delay(2000);
  const pausedAt = await pauseSchedules(queue);
  const drained = await drain(queue, drainMs);
  if (!drained) for (const line of await hostLines(url)) say(line);
  const nodes = await nodesAfterFaults(server, workers, 10_000);
  const drainedMs = Math.round(performance.now() - began);
  await workers.stop(15_000);
  for (const reader of readers) await reader.finish();
  const tables = await collect(url);
  const errors = [...driver.errors, ...(drained ? [] : [`not drained within ${drainMs} ms`])];
  const evidence: Evidence = {
    ...tables,
    ...nodes,
    records: workers.records(),
    processes: workers.lives(),
    requests: driver.requests,
    removed: driver.removed,
    retried: driver.retried,
    readers: readers.map(({ seen }) => seen),
    caps: { ...CAPS, perNode: CONCURRENCY },
    leaseMarginMs: LEASE_MS / 10,
    steady: STEADY,
    pausedAt,
    errors,
  };
  return {
    ...faults.counts,
    runs: tables.runs.length,
    events: tables.events.length,
    executions: evidence.records.filter(({ what }) => what === 'start').length,
    drainedMs,
    violations: check(evidence),
    outputs: workers.all.map(({ pid, output }) => `${pid}:\n${output}`),
  };
}

async function openQueue(url: string, cleanup: Cleanup): Promise<RunQueue> {
  const queue = await postgresQueue({ url });
  cleanup.push(() => queue.close());
  for (const type of ['agent', 'step']) queue.register(type, {});
  return queue;
}

const scheduleOf = (id: string) => ({
  id,
  cron: '* * * * * *',
  type: 'step',
  payload: { ms: 5, kind: 'plain' },
  lane: `of-${id}`,
  owner: `owner-${id}`,
});

/** Waits until only nodes of live processes are left, and returns them; on timeout, all that are left. */
async function nodesAfterFaults(
  { url }: PostgresServer,
  workers: Workers,
  ms: number,
): Promise<Pick<Evidence, 'nodesBeforeStop' | 'liveNodes'>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const live = new Set(workers.livePids());
    const nodes = await nodesIn(url);
    const liveNodes = nodes.filter(({ pid }) => live.has(pid));
    // A process that joined again may still have its old node, which must go as well.
    const isClean = nodes.length === liveNodes.length && nodes.length === live.size;
    if (isClean || performance.now() > deadline) {
      const newest = new Map(liveNodes.map(({ pid, id }) => [pid, id]));
      return { nodesBeforeStop: nodes.map(({ id }) => id), liveNodes: [...newest.values()] };
    }
    await delay(100);
  }
}
