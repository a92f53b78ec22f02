import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';
import { Cluster } from './cluster-rig.ts';

// A separate server, because the tests stop and start it.
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.remove());

const SOON = { ms: 60_000, every: 50 };
const readyOf = async (server: Server): Promise<{ status: number; checks: object }> => {
  const answer = await server.fetch('GET', '/readyz');
  const { checks } = (await answer.json()) as { checks: object };
  return { status: answer.status, checks };
};

test('[O5] while the database is down every kind of request gets 503 with Retry-After; health and metrics still work', async () => {
  const server = await Server.start({
    command: 'api',
    env: { BATON_DATABASE_URL: postgres.url, BATON_DRAIN_SECONDS: '0' },
  });
  const { id } = await server.session('kept');
  const { token } = await server.call<{ token: string }>('POST', '/api/v1/tokens', {
    name: 'mine',
  });
  const code = new URL(await signInUrlOf(server)).searchParams.get('code') ?? '';
  const bearer = { authorization: `Bearer ${token}` };
  expect((await readyOf(server)).status).toBe(200);

  await postgres.stop('immediate');
  await until(async () => (await readyOf(server)).status === 503, SOON);
  expect((await readyOf(server)).checks).toMatchObject({ database: 'does not respond' });
  const asked: [string, Promise<{ status: number; headers: Headers }>][] = [
    ['JSON', server.fetch('GET', `/api/v1/sessions/${id}`)],
    ['a list', server.fetch('GET', '/api/v1/sessions')],
    ['a change', server.fetch('POST', `/api/v1/sessions/${id}/messages`, { message: 'echo' })],
    ['a page of a log', server.fetch('GET', `/api/v1/sessions/${id}/events?follow=false`)],
    ['a stream', server.fetch('GET', `/api/v1/sessions/${id}/events`)],
    ['an export', server.fetch('GET', `/api/v1/sessions/${id}/export`)],
    ['users', server.fetch('GET', '/api/v1/users')],
    ['nodes', server.fetch('GET', '/api/v1/nodes')],
    ['a compatibility route', server.fetch('GET', '/sessions')],
    ['a token in the database', server.fetch('GET', '/api/v1/me', undefined, bearer)],
    ['a WebSocket', upgrade(server, `/ws/sessions/${id}`)],
    ['a sign-in by code', signIn(server, { code }, '*/*')],
    ['a sign-in by code in a browser', signIn(server, { code }, 'text/html')],
    ['a sign-in by token', signIn(server, { token }, 'text/html')],
  ];
  for (const [what, answering] of asked) {
    const { status, headers } = await answering;
    expect([what, status, Number(headers.get('retry-after')) > 0]).toEqual([what, 503, true]);
  }
  expect((await server.fetch('GET', '/healthz')).status).toBe(200);
  expect((await fetch(`${server.url}/sign-in`)).status).toBe(200);
  const metrics = await server.fetch('GET', '/metrics');
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).toMatch(/^baton_database_up 0$/m);

  await postgres.start();
  await until(async () => (await readyOf(server)).status === 200, SOON);
  expect(await server.call('GET', `/api/v1/sessions/${id}`)).toMatchObject({ name: 'kept' });
  expect((await server.fetch('GET', '/api/v1/me', undefined, bearer)).status).toBe(200);
  // The code was not used up.
  expect((await signIn(server, { code }, 'text/html')).status).toBe(200);
  let text = '';
  // The state of the database may be a second old.
  await until(async () => {
    text = await (await server.fetch('GET', '/metrics')).text();
    return /^baton_database_up 1$/m.test(text);
  }, SOON);
  expect(text).toMatch(/^baton_database_pool_connections\{state="busy"\} \d+$/m);
  expect(text).toMatch(/^baton_sign_ins_total\{result="ok"\} 1$/m);
}, 120_000);

test('[H7] a stopping node reports it before anything stops working', async () => {
  const server = await Server.start({ env: { BATON_DRAIN_SECONDS: '300' } });
  expect(await readyOf(server)).toEqual({
    status: 200,
    checks: { database: true, migrations: true, lease: true, disk: true },
  });
  process.kill(server.program.pid, 'SIGTERM');
  await until(async () => (await readyOf(server)).status === 503, SOON);
  expect((await readyOf(server)).checks).toEqual({ node: 'stopping' });
  const { id } = await server.session('late');
  expect(await server.call('GET', `/api/v1/sessions/${id}`)).toMatchObject({ name: 'late' });
  expect((await server.fetch('GET', '/healthz')).status).toBe(200);
  // A second signal stops at once.
  process.kill(server.program.pid, 'SIGTERM');
  await server.program.exit;
});

test('[X1] [O2] a worker serves health and metrics, but no sign-in', async () => {
  const server = await (await Cluster.create()).node('worker');
  expect((await readyOf(server)).status).toBe(200);
  expect((await server.fetch('GET', '/metrics')).status).toBe(200);
  expect((await server.fetch('GET', '/api/v1/me')).status).toBe(404);
  expect((await signIn(server, { token: TOKEN }, 'text/html')).status).toBe(401);
  for (const path of ['/', '/sign-in', '/docs']) {
    const asked = { headers: { accept: 'text/html' }, redirect: 'manual' } as const;
    expect([path, (await fetch(`${server.url}${path}`, asked)).status]).toEqual([path, 401]);
  }
  expect((await server.fetch('GET', '/')).status).toBe(404);
});

/** The link in the start line. */
async function signInUrlOf({ program }: Server): Promise<string> {
  await until(() => program.stdout().includes('/sign-in?code='));
  return /http\S+\/sign-in\?code=\S+/.exec(program.stdout())?.[0] ?? '';
}

const signIn = (server: Server, form: Record<string, string>, accept: string) =>
  fetch(`${server.url}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { accept },
    redirect: 'manual',
  });

async function upgrade(server: Server, path: string) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers });
  socket.on('error', () => {});
  const [, answer] = await once(socket, 'unexpected-response');
  answer.resume();
  return { status: Number(answer.statusCode), headers: new Headers(answer.headers) };
}
