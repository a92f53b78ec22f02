import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeMachine } from '../../test/cluster/machine-facts.ts';
import { collect } from '../api/collect.ts';
import { connectionsAre, drain, sessionsBy } from '../api/drain.ts';
import { leftoversOf } from '../api/leftovers.ts';
import type { Servers } from '../api/servers.ts';
import { MAX_RUNS } from '../api/setup.ts';
import type { Violation } from '../check/evidence.ts';
import { hostLines } from '../host-lines.ts';
import { mostAtOnce } from './check/cap.ts';
import { check } from './check/check.ts';
import type { ClusterEvidence } from './check/evidence.ts';
import { Clients } from './clients.ts';
import { auditBy, connectionRowsBy, nodesBy, ownersBy } from './collect.ts';
import { CALM_PATIENCE_MS, type DrivenSession, Driver } from './driver.ts';
import { type FaultCounts, Faults } from './faults.ts';
import { addPeople } from './people.ts';
import { type Cleanup, type Scene, setScene } from './scene.ts';

export interface ClusterChaosOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Operations of the driver per second. */
  readonly rate: number;
  /** The number of sessions at the beginning. */
  readonly sessions: number;
  /** The machine has no machine-id until halfway through. */
  readonly machineIdAppears?: boolean;
  readonly say?: (line: string) => void;
}

export interface ClusterChaosResult extends FaultCounts {
  readonly sessions: number;
  readonly runs: number;
  readonly executions: number;
  readonly mostAtOnce: number;
  readonly events: number;
  readonly connects: number;
  readonly hints: number;
  readonly shares: number;
  readonly probes: number;
  readonly audited: number;
  readonly taken: readonly number[];
  readonly drainedMs: number;
  readonly violations: readonly Violation[];
  /** The last output of the nodes, for the analysis of a violation. */
  readonly outputs: readonly string[];
}

/** Generous, because a slow machine is no violation: these catch what never happens. */
const START_MS = 180_000;
const DRAIN_MS = 300_000;
const CALM_MS = 120_000;
const STOP_MS = 120_000;

export async function clusterChaos(options: ClusterChaosOptions): Promise<ClusterChaosResult> {
  const cleanup: Cleanup = [];
  try {
    return await play(options, cleanup);
  } finally {
    for (const each of cleanup.reverse()) await each();
  }
}

async function play(options: ClusterChaosOptions, cleanup: Cleanup): Promise<ClusterChaosResult> {
  const { seconds, seed, rate, sessions, machineIdAppears = false, say = () => {} } = options;
  const scene = await setScene(cleanup, { machineIdAppears });
  const { servers, postgres, proxy, admin, trace } = scene;
  if (!(await servers.allReady(START_MS))) throw new Error('the nodes did not become ready');
  const people = await addPeople(admin);
  const clients = new Clients(seed);
  cleanup.push(() => clients.stop());
  const driver = new Driver({
    admin,
    people,
    workspaces: scene.workspaces,
    trace: trace.path,
    seed,
    onSession: (session) => clients.followSession(session),
    onRun: (session, run) => clients.followRun(session, run),
  });
  clients.followHints(people);
  await driver.prepare(sessions);

  const faults = new Faults(servers, postgres, trace, seed);
  const driving = driver.run(rate);
  say(`chaos: ${seconds} s with seed ${seed}, ${driver.sessions.length} sessions at the beginning`);
  const halfway = setTimeout(() => {
    if (scene.machine === null) return;
    describeMachine(scene.machine, { 'machine-id': randomBytes(16).toString('hex') });
    say('chaos: a machine-id has appeared');
  }, seconds * 500);
  cleanup.push(() => clearTimeout(halfway));
  await faults.run(seconds * 1000);

  say('chaos: the faults have ended; draining');
  const errors: string[] = [];
  const began = performance.now();
  driver.stop();
  clients.calm();
  admin.patienceMs = CALM_PATIENCE_MS;
  if (!(await servers.allReady(START_MS))) errors.push('the nodes did not come back');
  await driving;
  if (!(await drain(admin, DRAIN_MS))) {
    errors.push(`not drained within ${DRAIN_MS} ms`);
    for (const line of await hostLines(postgres.url)) say(line);
  }
  const drainedMs = Math.round(performance.now() - began);

  const calm = await becomeCalm(scene, clients, driver.sessions);
  await clients.stop();
  calm.miscounted.push(...(await connectionsAre(admin, new Map(), CALM_MS)));
  await servers.stop(STOP_MS);

  const tables = await collect(postgres.url);
  const owned = await ownersBy(postgres.url);
  const audit = await auditBy(postgres.url);
  const evidence: ClusterEvidence = {
    ...tables,
    ...calm,
    cap: MAX_RUNS,
    trace: trace.lines,
    traces: driver.sessions.map((session) => ({ session: session.id, lines: traceOf(session) })),
    requests: driver.requests,
    acknowledgedSessions: driver.sessions.map(({ id }) => id),
    removed: [],
    readers: clients.sessions.map(({ session, seen }) => ({ session, seen })),
    runReaders: clients.runs.map(({ run, seen }) => ({ run: run ?? '', seen })),
    hints: clients.hints.map(({ person, known }) => ({
      person: person.name,
      known: Object.fromEntries(known),
      own: owned.filter(({ owner }) => owner === person.id).map(({ id }) => id),
      shared: driver.sessions.filter(({ guest }) => guest === person).map(({ id }) => id),
    })),
    // Without the lines of the administrator, who resumed and cancelled the rest at the end.
    audit: audit.filter(({ userId }) => people.some(({ id }) => id === userId)),
    changes: driver.changes.all,
    taken: proxy.taken,
    servers: servers.lives(),
    leftovers: leftoversOf(tables.installation),
    errors: [
      ...errors,
      ...driver.errors,
      ...[admin, ...people.map(({ caller }) => caller)].flatMap((caller) =>
        caller.errors.map((error) => withLogLines(error, servers)),
      ),
      ...servers.errors,
      ...clients.errors,
    ],
  };
  return {
    ...faults.counts,
    sessions: tables.sessions.length,
    runs: tables.runs.length,
    executions: evidence.trace.filter((line) => line.startsWith('start ')).length,
    mostAtOnce: mostAtOnce(evidence.trace),
    events: tables.events.length,
    connects: clients.connects,
    hints: clients.hints.reduce((sum, { hints }) => sum + hints, 0),
    shares: driver.shares,
    probes: driver.probes,
    audited: evidence.audit.length,
    taken: proxy.taken,
    drainedMs,
    violations: check(evidence),
    outputs: servers.all.map(({ pid, output }) => `${pid}:\n${output}`),
  };
}

/** Waits until the tables and the clients have recovered from the faults, and reads them. */
async function becomeCalm(
  { servers, postgres, admin }: Scene,
  clients: Clients,
  sessions: readonly DrivenSession[],
) {
  const ends = await endsOf(admin);
  // Streams of runs end once everything was seen; the streams left after that stay open.
  await clients.seeAll(sessions, ends, CALM_MS);
  const miscounted = await connectionsAre(admin, clients.expected, CALM_MS);
  const livePids = servers.all.filter(({ exit }) => exit === null).flatMap((one) => one.children);
  const openStreams = [...clients.expected.values()].reduce((sum, count) => sum + count, 0);
  const deadline = performance.now() + CALM_MS;
  for (;;) {
    const liveNodes = await nodesBy(postgres.url);
    const connectionRows = await connectionRowsBy(postgres.url);
    // A live node removes the rows of dead ones in the reconciler's next pass.
    const isCalm = liveNodes.length === livePids.length && connectionRows === openStreams;
    if (isCalm || performance.now() > deadline)
      return { miscounted, ends, livePids, liveNodes, connectionRows, openStreams };
    await delay(200);
  }
}

/** The last seq of each session's log after the drain; readers must have seen everything up to it. */
async function endsOf(admin: Scene['admin']): Promise<Record<string, number>> {
  const sessions = (await sessionsBy(admin)) ?? [];
  return Object.fromEntries(sessions.map(({ id, lastSeq }) => [id, lastSeq]));
}

function traceOf({ path }: DrivenSession): string[] {
  try {
    return readFileSync(join(path, 'trace'), 'utf8').split('\n').slice(0, -1);
  } catch {
    // Nothing was executed there.
    return [];
  }
}

/** A failed request, with the lines that its node logged about it. */
function withLogLines(error: string, servers: Servers): string {
  const requestId = /"requestId":"([^"]+)"/.exec(error)?.[1];
  return requestId === undefined ? error : `${error}\n${servers.logLinesAbout(requestId)}`;
}
