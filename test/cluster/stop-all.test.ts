import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { AuditEntry } from '../../src/contract/audit.ts';
import { EVERYTHING_STOPPED } from '../../src/contract/limits.ts';
import type { MessageReceipt } from '../../src/contract/message.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import type { Stop } from '../../src/contract/stop.ts';
import { Desk } from '../cli/cli-rig.ts';
import { isAlive, temporaryDirectory } from '../support/processes.ts';
import { type Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

/* Stopping everything, with real processes: agents end, nothing starts, and later everything continues. */

vi.setConfig({ testTimeout: 300_000 });

const SOON = { ms: PATIENCE_MS, every: 50 };

/** Commands that record their pids and run until the gate file exists. */
function commands(directory: string) {
  const file = (name: string): string => join(directory, name);
  const pids = (name: string): number[] =>
    existsSync(file(`${name}.pids`))
      ? readFileSync(file(`${name}.pids`), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map(Number)
      : [];
  return {
    /** Has a child process. `how` is executed before it waits. */
    gated: (name: string, how = ':'): string =>
      `${how}; sleep 600 & echo "$$ $!" | tr ' ' '\\n' >> ${file(`${name}.pids`)}; until [ -e ${file('gate')} ]; do sleep 0.05; done; kill $!`,
    /** Waits until its nth execution has started. */
    works: (name: string, times = 1): Promise<void> =>
      until(() => pids(name).length === 2 * times, SOON),
    alive: (...names: string[]): number[] => names.flatMap(pids).filter(isAlive),
    open: (): void => writeFileSync(file('gate'), ''),
  };
}

const stopOf = (server: Server): Promise<Stop> => server.call('GET', '/api/v1/stop');
const put = (server: Server, body: object): Promise<Stop> =>
  server.call('PUT', '/api/v1/stop', body);

async function metric(server: Server, name: string): Promise<number> {
  const text = await (await server.fetch('GET', '/metrics')).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Events of runs that began while everything was stopped. */
const begunBetween = (log: readonly SessionEvent[], from: string, to: string): string[] =>
  log
    .filter(({ at, type }) => at > from && at < to && /^run\.(dequeued|start)$/.test(type))
    .map(({ type }) => type);

test('[Q9] [Q16] [A9] [C1] [P6] everything is stopped, stays stopped over kill -9, and continues in order', async () => {
  const desk = new Desk();
  const own = { BATON_ADMIN_TOKEN: TOKEN };
  const asAdmin = { BATON_TOKEN: TOKEN };
  const first = await desk.server({ env: own });
  const { gated, works, alive, open } = commands(desk.home);
  const begin = async (name: string, message: string, repeatable = true) => {
    const { id } = await first.session(name, { holdOnFailure: false });
    const runs = [await first.send(id, message), await first.send(id, `echo then ${name}`)];
    await works(name);
    return { id, runs, repeatable };
  };
  const sessions = [
    await begin('plain', gated('plain')),
    await begin('stubborn', gated('stubborn', "trap '' INT TERM")),
    // Whether it was pushed is unknown, so it is not repeated automatically.
    await begin('pushes', gated('pushes', 'git push /nowhere HEAD'), false),
  ];
  const names = ['plain', 'stubborn', 'pushes'];
  const signal = new AbortController();
  onTestFinished(() => signal.abort());
  const hints: unknown[] = [];
  const client = createClient({ url: first.url, token: TOKEN });
  void (async () => {
    for await (const hint of client.hints({ signal: signal.signal })) hints.push(hint);
  })();
  await until(() => hints.length > 0, SOON);
  const before = hints.length;

  const stop = await desk.json<Stop>(['stop-all', '--reason', 'an incident'], asAdmin);
  expect(stop).toMatchObject({ stopped: true, by: 'admin', reason: 'an incident' });
  await until(() => hints.slice(before).some((hint) => 'all' in (hint as object)), SOON);
  for (const { runs } of sessions) await first.inState(runs[0] ?? '', 'queued', PATIENCE_MS);
  expect(alive(...names)).toEqual([]);
  const logs = async (server: Server) => Promise.all(sessions.map(({ id }) => server.log(id)));
  for (const log of await logs(first)) {
    const back = log.find(({ type }) => type === 'run.handed_back');
    expect(back?.payload).toEqual({ reason: EVERYTHING_STOPPED });
    // A second to notice, five for the agents, and some more for a busy machine.
    expect(Date.parse(back?.at ?? '') - Date.parse(stop.since ?? '')).toBeLessThan(12_000);
  }
  expect(await first.run(sessions[0]?.runs[0] ?? '')).toMatchObject({ attempts: 0, crashes: 0 });

  // People can continue to use the server, and are informed.
  expect(await metric(first, 'baton_stopped')).toBe(1);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  const sent = await desk.json<MessageReceipt>(['send', 'plain', 'echo later'], asAdmin);
  expect(sent).toMatchObject({ status: 'queued', stopped: true });
  const listed = await desk.done(['ls'], asAdmin);
  expect(listed.stderr).toContain('Everything was stopped by admin');
  expect(listed.stderr).toContain('an incident');
  const queued = await desk.done(['run', '--detach', '--agent', 'shell', 'true'], asAdmin);
  expect(queued.stdout).toContain('An administrator has stopped everything');

  await first.kill();
  const second = await desk.server({ env: own });
  expect(await stopOf(second)).toEqual(stop);
  await until(async () => (await metric(second, 'baton_stopped')) === 1, SOON);
  const counts = () => second.call<Record<string, number>>('GET', '/api/v1/queue/counts');
  expect(await counts()).toMatchObject({ queued: 8, dequeued: 0, running: 0, waiting: 0 });

  open();
  const resumedAt = new Date().toISOString();
  const resumed = await desk.done(['resume-all', '--reason', 'all clear'], asAdmin);
  expect([resumed.code, resumed.stdout]).toEqual([0, 'Resumed. Runs are starting again.\n']);
  for (const { runs, repeatable } of sessions) {
    const [again, next] = [
      await second.finished(runs[0] ?? '', PATIENCE_MS),
      await second.finished(runs[1] ?? '', PATIENCE_MS),
    ];
    if (repeatable) expect(again).toMatchObject({ state: 'succeeded', attempts: 1, crashes: 0 });
    else expect(again).toMatchObject({ error: { class: 'interrupted_unsafe' } });
    expect(next.state).toBe('succeeded');
  }
  expect((await second.finished(sent.runId, PATIENCE_MS)).state).toBe('succeeded');
  for (const [index, log] of (await logs(second)).entries()) {
    expect(begunBetween(log, stop.since ?? '', resumedAt)).toEqual([]);
    const ends = log.filter(({ type }) => type === 'done').map(({ runId }) => runId);
    expect(ends.slice(0, 2)).toEqual(sessions[index]?.runs);
    const differs = log.some(({ type }) => type === 'run.retry_diff');
    expect(differs).toBe(sessions[index]?.repeatable);
  }
  const { items } = await second.call<{ items: AuditEntry[] }>('GET', '/api/v1/audit?target=all');
  expect(items).toMatchObject([
    { action: 'system.resume', userId: 'admin', after: { reason: 'all clear' } },
    { action: 'system.stop', userId: 'admin', after: { reason: 'an incident' } },
  ]);
  expect(second.program.stderr()).toContain('"EverythingResumed"');
});

test('[Q9] [Q6] [A9] agents on all machines are stopped, and a returning worker starts nothing', async () => {
  const cluster = await Cluster.create();
  const directory = temporaryDirectory();
  const { gated, works, alive, open } = commands(directory);
  const dataDir = temporaryDirectory();
  const worker = (host: string, dir = temporaryDirectory()) =>
    cluster.node('worker', { host, dataDir: dir, leaseSeconds: 8, maxRuns: 4 });
  const [api, other] = await cluster.apis({ host: 'api', leaseSeconds: 8, maxRuns: 4 });
  const one = await worker('one', dataDir);
  await worker('two');
  const begin = async (host: string) => {
    const path = temporaryDirectory();
    const workspace = { provider: 'directory', path, host };
    const { id } = await api.session(host, { workspace });
    const runs = [await api.send(id, gated(host)), await api.send(id, 'echo then')];
    await works(host);
    return { id, runs };
  };
  const sessions = [await begin('one'), await begin('two')];
  const stop = await put(api, { stopped: true });
  for (const { runs } of sessions) await other.inState(runs[0] ?? '', 'queued', PATIENCE_MS);
  expect(alive('one', 'two')).toEqual([]);
  expect(await stopOf(other)).toEqual(stop);

  await one.kill();
  await worker('one', dataDir);
  const late = await other.call<MessageReceipt>(
    'POST',
    `/api/v1/sessions/${sessions[0]?.id}/messages`,
    { message: 'echo late' },
  );
  expect(late.stopped).toBe(true);
  const live = async (): Promise<number> => {
    const { items } = await api.call<{ items: { roles: string[]; alive: boolean }[] }>(
      'GET',
      '/api/v1/nodes',
    );
    return items.filter(({ roles, alive: isLive }) => isLive && roles.includes('worker')).length;
  };
  await until(async () => (await live()) === 2, SOON);
  expect(await api.call('GET', '/api/v1/queue/counts')).toMatchObject({
    queued: 5,
    dequeued: 0,
    running: 0,
  });

  open();
  const resumedAt = new Date().toISOString();
  await put(other, { stopped: false });
  for (const id of [...sessions.flatMap(({ runs }) => runs), late.runId]) {
    expect(await api.finished(id, PATIENCE_MS)).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      crashes: 0,
    });
  }
  for (const { id, runs } of sessions) {
    const log = await api.log(id);
    expect(begunBetween(log, stop.since ?? '', resumedAt)).toEqual([]);
    const ends = log.filter(({ type }) => type === 'done').map(({ runId }) => runId);
    expect(ends.slice(0, 2)).toEqual(runs);
  }
});
