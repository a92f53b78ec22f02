import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { createDatabase } from '../support/postgres.ts';
import { Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

const LIMIT = 6;
const MINUTE_MS = 60_000;

/** API nodes over one database that limit everyone, even the administrator. */
async function nodes(count: number, env: Record<string, string> = {}): Promise<Server[]> {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const key = randomBytes(32).toString('base64');
  const start = () =>
    Server.start({
      command: 'api',
      env: {
        BATON_DATABASE_URL: database.url,
        BATON_SECRET_KEY: key,
        BATON_STRANGER_LIMIT: String(LIMIT),
        BATON_DRAIN_SECONDS: '0',
        ...env,
      },
    });
  return Promise.all(Array.from({ length: count }, start));
}

/** An operator with limits, unlike the administrator. */
async function operator(server: Server): Promise<Record<string, string>> {
  const user = await server.call<{ id: string }>('POST', '/api/v1/users', { name: 'hanako' });
  const made = { name: 'test', userId: user.id };
  const { token } = await server.call<{ token: string }>('POST', '/api/v1/tokens', made);
  return { authorization: `Bearer ${token}` };
}

/** Waits until each node has sent and received counts: all of them know everything from before. */
async function exchanged(servers: readonly Server[]): Promise<void> {
  const counts = () =>
    Promise.all(
      servers.map(async (server) => {
        const text = await (await server.fetch('GET', '/metrics')).text();
        return Number(/^baton_limit_exchanges_total\{result="ok"\} (\d+)$/m.exec(text)?.[1] ?? 0);
      }),
    );
  const before = await counts();
  // One exchange may have been under way.
  await until(
    async () => (await counts()).every((count, i) => count >= (before[i] as number) + 3),
    { ms: 60_000, every: 100 },
  );
}

test('[H9] two nodes share one limit: a request to one counts on the other, for users, strangers and upgrades', async () => {
  const [one, two] = (await nodes(2)) as [Server, Server];
  const hanako = await operator(one);
  const stranger = { authorization: 'Bearer no' };
  const ask = async (server: Server, headers: Record<string, string>): Promise<number> => {
    const answer = await server.fetch('GET', '/api/v1/me', undefined, headers);
    await answer.arrayBuffer();
    if (answer.status === 429) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    return answer.status;
  };
  const asked = async (server: Server, headers: Record<string, string>, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(server, headers)));
    return answers.filter((status) => status !== 429).length;
  };

  await exchanged([one, two]);
  const begun = performance.now();
  // 100 per minute for a user, and LIMIT for strangers.
  let [known, strangers] = [await asked(one, hanako, 100), await asked(one, stranger, LIMIT)];
  await exchanged([one, two]);
  known += await asked(two, hanako, 200);
  strangers += await asked(two, stranger, 2 * LIMIT);
  const upgrades = [];
  for (let i = 0; i < 3; i++) upgrades.push(await upgradeOf(two, stranger));
  // Requests refilled on either node since the beginning are within the limit.
  const filled = (limit: number): number =>
    Math.ceil((2 * limit * (performance.now() - begun)) / MINUTE_MS) + 1;
  expect(known).toBeGreaterThanOrEqual(100);
  expect(known).toBeLessThanOrEqual(100 + filled(100));
  expect(strangers).toBeGreaterThanOrEqual(LIMIT);
  expect(strangers).toBeLessThanOrEqual(LIMIT + filled(LIMIT));
  const refused = upgrades.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { retryAfter } of refused) expect(retryAfter).toBeGreaterThan(0);
  // A user with a credential is not affected by the limit of their address.
  expect((await two.fetch('GET', '/api/v1/me')).status).toBe(200);
}, 120_000);

test('[H9] sign-in attempts are limited by address, which a trusted proxy reports', async () => {
  const [server] = (await nodes(1, { BATON_TRUSTED_PROXIES: '127.0.0.0/8' })) as [Server];
  const attempt = async (address: string): Promise<number> => {
    const answer = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ code: 'not-a-code' }),
      headers: { 'x-forwarded-for': address },
      redirect: 'manual',
    });
    await answer.arrayBuffer();
    if (answer.status === 429) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    return answer.status;
  };
  const answers = [];
  for (let i = 0; i < 2 * LIMIT; i++) answers.push(await attempt('203.0.113.5'));
  expect(answers.slice(0, LIMIT)).toEqual(Array(LIMIT).fill(401));
  expect(answers).toContain(429);
  expect(await attempt('203.0.113.6')).toBe(401);
  expect(await attempt('203.0.113.5, 203.0.113.7')).toBe(401);
});

test('[H9] the queue of a session and the streams of a user have configured limits', async () => {
  const server = await Server.start({ env: { BATON_QUEUE_LIMIT: '2', BATON_STREAM_LIMIT: '1' } });
  const { id } = await server.session('full');
  await server.call('POST', `/api/v1/sessions/${id}/hold`);
  const send = () => server.fetch('POST', `/api/v1/sessions/${id}/messages`, { message: 'true' });
  const stream = () => server.fetch('GET', `/api/v1/sessions/${id}/events`);
  for (const [open, refused] of [
    [send, 'queue_full'],
    [stream, 'too_many_streams'],
  ] as const) {
    const passed = [await open()];
    if (open === send) passed.push(await open());
    for (const answer of passed) expect(answer.ok).toBe(true);
    const last = await open();
    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await last.json()).toMatchObject({ error: { code: refused } });
    for (const { body } of passed) await body?.cancel();
  }
});

test('[X1] nodes with another admin token report it', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const env = {
    BATON_DATABASE_URL: database.url,
    BATON_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const one = await Server.start({ command: 'api', env });
  const other = 'another-token-0123456789';
  const two = await Server.start({ command: 'api', env: { ...env, BATON_ADMIN_TOKEN: other } });
  for (const { program } of [one, two]) {
    await until(() => program.stderr().includes('set the same BATON_ADMIN_TOKEN on every node'), {
      ms: 30_000,
    });
    expect(program.stderr()).not.toMatch(new RegExp(`${TOKEN}|${other}`));
    expect(program.stderr()).not.toContain('BATON_PUBLIC_URL differs');
  }
}, 60_000);

async function upgradeOf(server: Server, headers: Record<string, string>) {
  const url = `${server.url.replace('http', 'ws')}/ws/sessions/0190a1b2-0000-7000-8000-000000000000`;
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => {});
  const [, answer] = await once(socket, 'unexpected-response');
  answer.resume();
  return { status: answer.statusCode, retryAfter: Number(answer.headers['retry-after']) };
}
