import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { until } from '../../test/support/until.ts';
import { BatonError, ERRORS } from '../contract/errors.ts';
import { createApp } from './app.ts';
import { close, listen } from './listen.ts';
import type { Readiness } from './routes/system.ts';

function app(ready: () => Promise<Readiness> = async () => ({})) {
  const instance = createApp({ log: pino({ level: 'silent' }), ready });
  onTestFinished(() => instance.close());
  return instance;
}

test('[H7] /healthz says that the process is alive, whatever the state of the rest', async () => {
  const answer = await app(() => Promise.reject(new Error('away'))).inject('/healthz');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
});

test('[H7] /readyz is 200 when every part is ready', async () => {
  const checks = { database: true, migrations: true, lease: true } as const;
  const answer = await app(async () => checks).inject('/readyz');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', checks }]);
});

test('[H7] /readyz is 503 and names the part that is not ready', async () => {
  const checks = { database: 'unreachable', migrations: true } as const;
  const answer = await app(async () => checks).inject('/readyz');
  expect([answer.statusCode, answer.json()]).toEqual([503, { status: 'not_ready', checks }]);
});

test('[H7] /readyz is 503 when the check itself fails, without saying why', async () => {
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

test('unknown methods and undecodable URLs get errors in the usual shape', async () => {
  const instance = app();
  const posted = await instance.inject({ method: 'POST', url: '/healthz' });
  expect(posted.json()).toMatchObject({ error: { code: 'not_found', status: 404 } });
  const undecodable = await instance.inject('/%zz');
  expect(undecodable.json()).toMatchObject({ error: { code: 'invalid_request', status: 400 } });
});

test('an internal error is logged, not shown', async () => {
  const instance = app();
  instance.addHook('preHandler', async () => {
    throw new Error('secret');
  });
  const answer = await instance.inject('/healthz');
  expect(answer.json()).toMatchObject({ error: { code: 'internal', status: 500 } });
  expect(answer.body).not.toContain('secret');
});

test('[O1] port 0 picks a free port, and the URL contains it', async () => {
  const url = await listen(app(), '127.0.0.1', 0);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('closing does not wait forever for a half-sent request', async () => {
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

test('[H9] until the database is open the API answers 503 with Retry-After', async () => {
  const { get, post } = appRig();
  for (const answer of [
    await get('/api/v1/sessions'),
    await post('/api/v1/sessions', '{"name":"abc"}'),
    await get('/api/v1/queue/counts'),
  ]) {
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.json()).toMatchObject({ error: { code: 'database_unreachable', status: 503 } });
  }
});

test('[S2] the status cannot be set; the answer is that of the specification', async () => {
  const answer = await appRig().ask({
    method: 'PUT',
    url: '/api/v1/sessions/anything/status',
    payload: { status: 'ACTIVE' },
  });
  expect(answer.statusCode).toBe(403);
  expect(answer.body).toBe(
    '{"error":"Status updates are not allowed","message":"Session status is managed automatically by the system"}',
  );
});

test('every response has security headers and the request id', async () => {
  const { app: instance, get } = appRig();
  const answers = [
    await get('/healthz'),
    await get('/docs'),
    await get('/nothing'),
    await instance.inject('/nothing'),
    await instance.inject('/%zz'),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
  }
});

test('an error contains its request id', async () => {
  const answer = await appRig().get('/nothing');
  expect(answer.json().meta.requestId).toBe(answer.headers['x-request-id']);
});

test('HEAD answers like GET, without the body', async () => {
  const { app: instance } = appRig();
  const [head, get] = [
    await instance.inject({ method: 'HEAD', url: '/healthz' }),
    await instance.inject('/healthz'),
  ];
  expect([head.statusCode, head.body]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
});

test('[O4] a request is logged and counted by its pattern, without its parameters', async () => {
  const lines: Record<string, unknown>[] = [];
  const counted: unknown[] = [];
  const refused: unknown[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const { ask, get } = appRig({
    log,
    metrics: {
      request: (route, method, status, seconds) => counted.push([route, method, status, seconds]),
      refused: (code) => refused.push(code),
      text: async () => 'metric 1\n',
    },
  });
  const id = '0190a1b2-0000-7000-8000-000000000000';
  const { headers } = await get(`/api/v1/sessions/search?name=hidden-query`);
  await ask({
    method: 'POST',
    url: `/api/v1/sessions/${id}/messages`,
    payload: { message: 'hidden-body' },
  });
  await get('/hidden-path');
  const logged = lines.filter(({ msg }) => msg === 'Request answered');
  expect(logged).toEqual([
    expect.objectContaining({
      level: 20,
      requestId: headers['x-request-id'],
      method: 'GET',
      route: '/api/v1/sessions/search',
      status: 503,
      ms: expect.any(Number),
    }),
    expect.objectContaining({ level: 30, method: 'POST', route: '/api/v1/sessions/{id}/messages' }),
    expect.objectContaining({ level: 20, route: 'unmatched', status: 404 }),
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/hidden|a-token-for-tests/);
  expect(counted).toEqual([
    ['/api/v1/sessions/search', 'GET', 503, expect.any(Number)],
    ['/api/v1/sessions/{id}/messages', 'POST', 503, expect.any(Number)],
    ['unmatched', 'GET', 404, expect.any(Number)],
  ]);
  expect(refused).toEqual(['database_unreachable', 'database_unreachable', 'not_found']);
  const answer = await get('/metrics');
  expect([answer.headers['content-type'], answer.body]).toEqual([
    'text/plain; version=0.0.4; charset=utf-8',
    'metric 1\n',
  ]);
});

test('tests detect an answer that does not match its schema', async () => {
  const wrong = { status: 'fine' } as never;
  const answer = await appRig({ ready: async () => wrong }).get('/readyz');
  expect(answer.statusCode).toBe(503);
  const strange = { database: 5 } as never;
  expect((await appRig({ ready: async () => strange }).get('/readyz')).statusCode).toBe(500);
});

test('an internal error is answered with the text of the catalogue, and logged', async () => {
  const lines: { msg: string; err?: { message: string } }[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const { get } = appRig({
    log,
    services: () => {
      throw new BatonError('database_failed', 'statement 5 at /home/x', { details: { sql: 1 } });
    },
  });
  const answer = await get('/api/v1/queue/counts');
  expect(answer.json().error).toEqual({
    code: 'database_failed',
    status: 500,
    message: ERRORS.database_failed[1],
  });
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'A request failed',
      err: expect.objectContaining({ message: 'statement 5 at /home/x' }),
    }),
  ]);
});

test('[H9] [O5] a request to a stopping server is answered with Retry-After', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Readiness>();
  const { app: instance } = appRig({
    ready: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  const { port } = new URL(await listen(instance, '127.0.0.1', 0));
  const socket = connect(Number(port), '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const ended = once(socket, 'close');
  const host = `Host: 127.0.0.1:${port}`;
  socket.write(`GET /readyz HTTP/1.1\r\n${host}\r\n\r\n`);
  await asked.promise;
  const closed = instance.close();
  await until(() => !instance.server.listening);
  const bearer = `Authorization: Bearer ${TOKEN}`;
  // It is read, and its response waits behind the first.
  const read = once(instance.server, 'request');
  socket.write(`GET /api/v1/sessions HTTP/1.1\r\n${host}\r\n${bearer}\r\n\r\n`);
  await read;
  answer.resolve({});
  await ended;
  await closed;
  expect(said).toMatch(/HTTP.1.1 503.*retry-after: \d+.*"code":"database_unreachable"/is);
});
