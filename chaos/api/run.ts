import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { seeded } from '../../test/support/seeded.ts';
import type { Violation } from '../check/evidence.ts';
import { hostLines } from '../host-lines.ts';
import { Caller } from './caller.ts';
import { check } from './check/check.ts';
import type { Evidence } from './check/evidence.ts';
import { collect } from './collect.ts';
import { connectionsAre, drain, sessionsBy } from './drain.ts';
import { type DrivenSession, Driver } from './driver.ts';
import { type FaultCounts, Faults } from './faults.ts';
import { leftoversOf } from './leftovers.ts';
import { Reader } from './readers.ts';
import { Servers } from './servers.ts';
import { type DatabaseKind, newCredentials } from './setup.ts';

export interface ApiChaosOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly database: DatabaseKind;
  /** Operations of the driver per second. */
  readonly rate: number;
  readonly say?: (line: string) => void;
}

export interface ApiChaosResult extends FaultCounts {
  readonly sessions: number;
  readonly runs: number;
  readonly executions: number;
  readonly events: number;
  readonly connects: number;
  readonly drainedMs: number;
  readonly violations: readonly Violation[];
  /** The last output of the servers, for the analysis of a violation. */
  readonly outputs: readonly string[];
}

const START_MS = 60_000;
const DRAIN_MS = 120_000;
const CALM_MS = 30_000;
/** Runs have 30 s of grace; after the drain there are none. */
const STOP_MS = 60_000;

/** All of these run, even if one fails. */
type Cleanup = (() => unknown)[];

export async function apiChaos(options: ApiChaosOptions): Promise<ApiChaosResult> {
  const cleanup: Cleanup = [];
  try {
    return await play(options, cleanup);
  } finally {
    for (const each of cleanup.reverse()) await each();
  }
}

async function play(options: ApiChaosOptions, cleanup: Cleanup): Promise<ApiChaosResult> {
  const { seconds, seed, rate, say = () => {} } = options;
  const errors: string[] = [];
  const scene = await prepare(options, cleanup);
  const { servers, postgres, caller, driver, readers } = scene;
  if (!(await servers.allReady(START_MS))) throw new Error('the servers did not become ready');
  await driver.prepare();

  const faults = new Faults(servers, postgres, seed);
  const driving = driver.run(rate);
  say(`chaos: ${seconds} s with seed ${seed}`);
  await faults.run(seconds * 1000);

  say('chaos: the faults have ended; draining');
  const began = performance.now();
  driver.stop();
  for (const reader of readers) reader.calm();
  if (!(await servers.allReady(START_MS))) errors.push('the servers did not come back');
  await driving;
  if (!(await drain(caller, DRAIN_MS))) {
    errors.push(`not drained within ${DRAIN_MS} ms`);
    for (const line of await hostLines(scene.database)) say(line);
  }
  const drainedMs = Math.round(performance.now() - began);

  const counted = await connectionsAre(caller, expectedOf(readers), CALM_MS);
  const ends = await endsOf(caller);
  await allSeen(readers, ends, CALM_MS);
  for (const reader of readers) await reader.stop();
  counted.push(...(await connectionsAre(caller, new Map(), CALM_MS)));
  await servers.stop(STOP_MS);

  const tables = await collect(scene.database);
  const evidence: Evidence = {
    ...tables,
    ends,
    traces: driver.sessions.map((session) => ({ session: session.id, lines: traceOf(session) })),
    requests: driver.requests,
    acknowledgedSessions: driver.sessions.map(({ id }) => id),
    removed: driver.removed,
    readers: readers.map(({ session, seen }) => ({ session, seen })),
    miscounted: counted,
    servers: servers.lives(),
    leftovers: leftoversOf(tables.installation),
    errors: [
      ...errors,
      ...driver.errors,
      ...caller.errors.map((error) => withLogLines(error, servers)),
      ...servers.errors,
      ...readers.flatMap((reader) => reader.errors),
    ],
  };
  return {
    ...faults.counts,
    sessions: tables.sessions.length,
    runs: tables.runs.length,
    executions: evidence.traces.flatMap(({ lines }) => lines).filter((line) => /^start/.test(line))
      .length,
    events: tables.events.length,
    connects: readers.reduce((sum, reader) => sum + reader.connects, 0),
    drainedMs,
    violations: check(evidence),
    outputs: servers.all.map(({ pid, output }) => `${pid}:\n${output}`),
  };
}

async function prepare({ seed, database: kind }: ApiChaosOptions, cleanup: Cleanup) {
  const directory = mkdtempSync(join(tmpdir(), 'baton-chaos-api-'));
  const guard = guardOf(directory);
  cleanup.push(() => {
    rmSync(directory, { recursive: true, force: true });
    guard.kill('SIGKILL');
  });
  const postgres = kind === 'sqlite' ? null : await startPostgres();
  if (postgres !== null) cleanup.push(() => postgres.remove());
  const credentials = newCredentials();
  const names = kind === 'sqlite' ? ['one'] : ['one', 'two'];
  const slots = [];
  for (const name of names) {
    slots.push(Servers.slot(directory, name, await steadyPort(), postgres?.url ?? null));
  }
  const servers = new Servers(slots, credentials);
  cleanup.push(() => servers.killAll());
  const caller = new Caller(servers.urls, credentials.token);
  const readers: Reader[] = [];
  cleanup.push(async () => {
    for (const reader of readers) await reader.stop();
  });
  const { urls } = servers;
  const random = seeded(seed + 200);
  const follow = (session: string, kind: 'sse' | 'ws'): void => {
    const options = { session, kind, urls, token: credentials.token };
    readers.push(new Reader({ ...options, seed: Math.floor(random() * 1e9) }).start());
  };
  const workspaces = join(directory, 'workspaces');
  mkdirSync(workspaces);
  const driver = new Driver(caller, workspaces, seed, ({ id, lonely }: DrivenSession) => {
    if (lonely) return;
    for (const kind of ['sse', 'sse', 'ws'] as const) follow(id, kind);
  });
  return { servers, postgres, caller, driver, readers, database: slots[0]!.database };
}

/**
 * If this process is killed, the guard's input ends and the guard removes the directory; servers
 * need a moment to end.
 */
const guardOf = (directory: string): ChildProcess =>
  spawn('sh', ['-c', 'cat >/dev/null; sleep 3; rm -rf "$1"', 'sh', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

/**
 * A free port below the ephemeral range: no other program takes it while its server is down.
 */
async function steadyPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

function traceOf({ path }: DrivenSession): string[] {
  try {
    return readFileSync(join(path, 'trace'), 'utf8').split('\n').slice(0, -1);
  } catch {
    // Nothing was executed there.
    return [];
  }
}

function expectedOf(readers: readonly Reader[]): Map<string, number> {
  const expected = new Map<string, number>();
  for (const { session } of readers) expected.set(session, (expected.get(session) ?? 0) + 1);
  return expected;
}

/** A failed request, with the lines that its server logged about it. */
function withLogLines(error: string, servers: Servers): string {
  const requestId = /"requestId":"([^"]+)"/.exec(error)?.[1];
  return requestId === undefined ? error : `${error}\n${servers.logLinesAbout(requestId)}`;
}

/** The last seq of each session's log after the drain; readers must have seen everything up to it. */
async function endsOf(caller: Caller): Promise<Record<string, number>> {
  const sessions = (await sessionsBy(caller)) ?? [];
  return Object.fromEntries(sessions.map(({ id, lastSeq }) => [id, lastSeq]));
}

/** Gives the readers time to see everything; the rules check later whether they did. */
async function allSeen(
  readers: readonly Reader[],
  ends: Record<string, number>,
  ms: number,
): Promise<void> {
  const deadline = performance.now() + ms;
  const behind = (reader: Reader): boolean => reader.last < (ends[reader.session] ?? 0);
  while (readers.some(behind) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
