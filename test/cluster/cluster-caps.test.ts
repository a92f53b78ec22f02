import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mostAtOnce } from '../../chaos/cluster/check/cap.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import { temporaryDirectory } from '../support/processes.ts';
import type { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

const SLOTS = 2;
const HOSTS = ['one', 'two'];
const BACKLOG = 24;
const LATE = 3;

/** A user with a token of their own. */
async function person(api: Server, name: string) {
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/users', { name });
  const body = { name: 'test', userId: id, scopes: ['read', 'run'] };
  const { token } = await api.call<{ token: string }>('POST', '/api/v1/tokens', body);
  const headers = { authorization: `Bearer ${token}` };
  return {
    session: async (title: string): Promise<string> => {
      const given = { name: title, agent: { kind: 'shell' } };
      return (await api.call<{ id: string }>('POST', '/api/v1/sessions', given, headers)).id;
    },
    send: async (session: string, message: string): Promise<string> => {
      const path = `/api/v1/sessions/${session}/messages`;
      return (await api.call<{ runId: string }>('POST', path, { message }, headers)).runId;
    },
  };
}

test('[Q2] [Q4] two workers share one cap, and a user with a long backlog does not keep another waiting', async () => {
  const cluster = await Cluster.create();
  const api = await cluster.node('api');
  for (const host of HOSTS) await cluster.node('worker', { host, maxRuns: SLOTS });
  const trace = join(temporaryDirectory(), 'trace');
  writeFileSync(trace, '');
  // Takes a while, and records when and by which process it was executed.
  const command = `echo "start $BATON_AGENT_MARK $PPID" >>${trace}; sleep 0.4; echo "end $BATON_AGENT_MARK" >>${trace}`;

  const [busy, late] = [await person(api, 'busy'), await person(api, 'late')];
  // Sessions of both hosts, so that both workers have work.
  const hosts = new Map<string, string | null>();
  while (!HOSTS.every((host) => [...hosts.values()].filter((each) => each === host).length >= 2)) {
    const id = await busy.session(`backlog ${hosts.size}`);
    await api.finished(await busy.send(id, 'true'), PATIENCE_MS);
    hosts.set(id, (await api.call<Session>('GET', `/api/v1/sessions/${id}`)).host);
  }
  const lanes = [...hosts.keys()];
  const latecomers: string[] = [];
  for (let i = 0; i < LATE; i++) latecomers.push(await late.session(`late ${i}`));
  const backlog: string[] = [];
  for (let i = 0; i < BACKLOG; i++)
    backlog.push(await busy.send(lanes[i % lanes.length]!, command));
  const begun = (): string[] => {
    const lines = readFileSync(trace, 'utf8').split('\n');
    return lines.filter((line) => line.startsWith('start ')).map((line) => line.split(':')[2]!);
  };
  await until(() => begun().length > SLOTS, { ms: PATIENCE_MS });

  const own: string[] = [];
  for (const session of latecomers) {
    const run = await late.send(session, command);
    own.push(run);
    await until(() => begun().includes(run), { ms: PATIENCE_MS });
  }
  expect(begun().filter((id) => backlog.includes(id)).length).toBeLessThan(BACKLOG);

  const all = [...backlog, ...own];
  const runs: RunView[] = [];
  for (const id of all) runs.push(await api.finished(id, PATIENCE_MS));
  expect(runs.every(({ state, attempts }) => state === 'succeeded' && attempts === 1)).toBe(true);
  // Times of claims on the database's clock: on a busy machine a shell starts late.
  const events = (await Promise.all([...lanes, ...latecomers].map((id) => api.log(id)))).flat();
  const timesOf = (type: string) =>
    new Map(
      events.flatMap(({ type: is, runId, at }) => (is === type && runId ? [[runId, at]] : [])),
    );
  const [queued, claimed] = [timesOf('run.queued'), timesOf('run.dequeued')];
  for (const run of own) {
    const between = backlog.filter(
      (other) => claimed.get(other)! > queued.get(run)! && claimed.get(other)! < claimed.get(run)!,
    );
    // Within ⌈U/N⌉ + 1 run times; in each of them as many runs begin as there are slots.
    expect(between.length).toBeLessThanOrEqual(SLOTS * (Math.ceil(2 / SLOTS) + 1));
  }

  const lines = readFileSync(trace, 'utf8').split('\n').slice(0, -1);
  // Exactly up to the cap, and both workers had work.
  expect(mostAtOnce(lines)).toBe(SLOTS);
  const starts = lines.filter((line) => line.startsWith('start '));
  expect(new Set(starts.map((line) => line.split(' ')[2])).size).toBe(2);
}, 600_000);
