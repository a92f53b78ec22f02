import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { formatTag, TAG_VARIABLE } from '../../src/workspaces/local/processes/tag.ts';
import { claudeServerRig, ended, making } from '../claude/claude-session-rig.ts';
import { scripted } from '../model-server/script.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 300_000 });

/** The samples of a server: name and labels → value. */
async function samples(server: Server): Promise<Record<string, number>> {
  const text = await (await server.fetch('GET', '/metrics')).text();
  const lines = text.split('\n').filter((line) => line.startsWith('baton_'));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** Waits for these values, because some are counted only after the response. */
async function shows(server: Server, wanted: Record<string, number>): Promise<void> {
  await until(
    async () => {
      const shown = await samples(server);
      return Object.entries(wanted).every(([name, value]) => shown[name] === value);
    },
    { ms: 20_000, every: 100 },
  ).catch(async () => expect(await samples(server)).toMatchObject(wanted));
}

const FAILED = 'baton_session_creations_failed_total';
const READY = 'baton_session_ready_seconds_count';
const GITHUB_TOKEN = `ghp_${'a1B2'.repeat(9)}`;

test('[O4] a session whose workspace cannot be prepared counts as a failed creation; refused input does not', async () => {
  const server = await Server.start();
  const create = async (body: object): Promise<number> =>
    (await server.fetch('POST', '/api/v1/sessions', { agent: { kind: 'shell' }, ...body })).status;
  expect(await create({ name: 'taken' })).toBe(201);
  await shows(server, { [READY]: 1, [FAILED]: 0 });
  expect(await create({ name: 'taken' })).toBe(409);
  expect(await create({ name: '' })).toBe(400);
  expect(await create({ name: GITHUB_TOKEN })).toBe(400);
  expect(await create({ name: 'other', agent: { kind: 'none' } })).toBe(400);
  expect(await create({ name: 'apart', isolation: 'container' })).toBe(400);
  expect((await samples(server))[FAILED]).toBe(0);
  const path = join(temporaryDirectory(), 'missing');
  const broken = await server.session('broken', { workspace: { provider: 'directory', path } });
  await shows(server, { [READY]: 1, [FAILED]: 1 });
  await server.call('POST', `/api/v1/sessions/${broken.id}/retry`);
  await shows(server, { [FAILED]: 2 });
});

test('[O4] streams, refusals, sign-ins, secrets and passes over the sessions are counted as they happen', async () => {
  const server = await Server.start();
  const { id } = await server.session('counted');
  const stop = new AbortController();
  const stream = await server.fetch('GET', `/api/v1/sessions/${id}/events`);
  const other = await fetch(`${server.url}/api/v1/sessions/${id}/events`, {
    headers: { authorization: `Bearer ${TOKEN}` },
    signal: stop.signal,
  });
  expect([stream.status, other.status]).toEqual([200, 200]);
  await shows(server, {
    'baton_streams_open{kind="sse"}': 2,
    'baton_streams_opened_total{kind="sse"}': 2,
    baton_connections: 2,
  });
  stop.abort();
  await shows(server, {
    'baton_streams_open{kind="sse"}': 1,
    'baton_streams_opened_total{kind="sse"}': 2,
  });
  await stream.body?.cancel();

  await server.call('PUT', `/api/v1/sessions/${id}/policy`, {
    allow: [],
    ask: [],
    deny: ['Bash(rm *)'],
  });
  const messages = `/api/v1/sessions/${id}/messages`;
  expect((await server.fetch('POST', messages, { message: 'rm x' })).status).toBe(403);
  await server.finished(await server.send(id, `echo ${GITHUB_TOKEN} > /dev/null`));
  const bad = { authorization: 'Bearer wrong' };
  expect((await server.fetch('GET', '/api/v1/sessions', undefined, bad)).status).toBe(401);
  const form = new URLSearchParams({ token: TOKEN });
  await fetch(`${server.url}/sign-in`, { method: 'POST', body: form, redirect: 'manual' });
  form.set('token', 'another-token-0123456789');
  await fetch(`${server.url}/sign-in`, { method: 'POST', body: form, redirect: 'manual' });
  await shows(server, {
    'baton_policy_denied_total{what="message"}': 1,
    'baton_sign_ins_total{result="ok"}': 1,
    'baton_sign_ins_total{result="failed"}': 1,
    'baton_requests_refused_total{reason="credential"}': 2,
  });
  const shown = await samples(server);
  for (const name of [
    'baton_secrets_masked_total{kind="github_token"}',
    'baton_authentication_seconds_count',
    'baton_reconcile_seconds_count',
    'baton_attempts_total{type="agent",outcome="succeeded"}',
  ]) {
    expect(shown[name], name).toBeGreaterThan(0);
  }
});

test('[O4] [P3] [A5] denied calls and the cost of agents are counted', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server, 'counted');
  const rules = { allow: [], ask: [], deny: ['Bash(install *)'] };
  await server.call('PUT', `/api/v1/sessions/${session.id}/policy`, rules);
  const steps = [{ tools: [making('made')] }, { text: 'done' }];
  const run = await ended(server, await server.send(session.id, scripted(steps)));
  expect(run).toMatchObject({ state: 'succeeded', costUsd: expect.any(Number) });
  expect(run.costUsd).toBeGreaterThan(0);
  await shows(server, { 'baton_policy_denied_total{what="call"}': 1 });
  const cost = (await samples(server))['baton_agent_cost_usd_total{agent="claude"}'];
  expect(cost).toBeCloseTo(run.costUsd, 6);
});

test.runIf(process.platform === 'linux')(
  '[O4] [A9] processes that outlived their node are counted when they are stopped',
  async () => {
    const dataDir = temporaryDirectory();
    await (await Server.start({ dataDir })).stop();
    const database = new DatabaseSync(join(dataDir, 'baton.db'), { readOnly: true });
    const row = database.prepare("SELECT value FROM settings WHERE name = 'installation'").get();
    database.close();
    const tag = { installation: String(row?.['value']), node: 'dead', run: 'run' };
    const left = spawn('sleep', ['600'], {
      env: { ...process.env, [TAG_VARIABLE]: formatTag(tag, 1) },
      detached: true,
      stdio: 'ignore',
    });
    onTestFinished(() => void left.kill('SIGKILL'));
    const ended = once(left, 'exit');
    await once(left, 'spawn');
    const server = await Server.start({ dataDir });
    await ended;
    await shows(server, { baton_leftovers_stopped_total: 1 });
  },
);
