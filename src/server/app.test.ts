import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from './app.ts';
import { close, listen } from './listen.ts';
import type { Readiness } from './routes/system.ts';

function app(ready: () => Promise<Readiness> = async () => ({})) {
  const instance = createApp({ log: pino({ level: 'silent' }), ready });
  onTestFinished(() => instance.close());
  return instance;
}

test('[H7] /healthz says that the process is alive, whatever else is', async () => {
  const answer = await app(() => Promise.reject(new Error('away'))).inject('/healthz');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
});

test('[H7] /readyz is 200 when every part is ready', async () => {
  const checks = { database: true, migrations: true, lease: true } as const;
  const answer = await app(async () => checks).inject('/readyz');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', checks }]);
});

test('[H7] /readyz is 503 and names the part that is not', async () => {
  const checks = { database: 'unreachable', migrations: true } as const;
  const answer = await app(async () => checks).inject('/readyz');
  expect([answer.statusCode, answer.json()]).toEqual([503, { status: 'not_ready', checks }]);
});

test('[H7] /readyz is 503 when the check itself fails, without telling why', async () => {
  const answer = await app(() => Promise.reject(new Error('secret path'))).inject('/readyz');
  expect(answer.statusCode).toBe(503);
  expect(answer.body).not.toContain('secret');
});

test.each([
  ['GET', '/'],
  ['GET', '/api/v1/sessions'],
  ['POST', '/api/v1/sessions'],
  ['GET', '/healthz/'],
  ['GET', '/readyz/../admin'],
  ['DELETE', '/nothing'],
] as const)('[X1] %s %s needs a credential', async (method, url) => {
  const answer = await app().inject({ method, url });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.json()).toEqual({
    error: { code: 'unauthorized', message: expect.any(String), status: 401 },
    meta: { timestamp: expect.stringMatching(/^\d{4}-.*Z$/), requestId: expect.any(String) },
  });
});

test('errors have one shape: unknown method and undecodable URL', async () => {
  const instance = app();
  const posted = await instance.inject({ method: 'POST', url: '/healthz' });
  expect(posted.json()).toMatchObject({ error: { code: 'not_found', status: 404 } });
  const undecodable = await instance.inject('/%zz');
  expect(undecodable.json()).toMatchObject({ error: { code: 'invalid_request', status: 400 } });
});

test('an error from inside is logged, not shown', async () => {
  const instance = app();
  instance.addHook('preHandler', async () => {
    throw new Error('secret');
  });
  const answer = await instance.inject('/healthz');
  expect(answer.json()).toMatchObject({ error: { code: 'internal', status: 500 } });
  expect(answer.body).not.toContain('secret');
});

test('[O1] port 0 takes a free port, and the URL names it', async () => {
  const url = await listen(app(), '127.0.0.1', 0);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('closing does not wait for ever for a request that is half sent', async () => {
  const instance = app();
  const url = new URL(await listen(instance, '127.0.0.1', 0));
  const socket = connect(Number(url.port), url.hostname).on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /he');
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await close(instance, 50);
  await closed;
});
