import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../test/support/server-rig.ts';
import { streamRig, TOKEN } from '../../test/support/stream-rig.ts';
import { type EndpointName, endpoints } from '../contract/api/endpoints.ts';
import { createClient } from './client.ts';

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

/** A server that is not Baton. */
async function stranger(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test('the client has one method for each operation of the contract', () => {
  const client = createClient({ url: 'http://127.0.0.1:1' });
  for (const name of Object.keys(endpoints)) {
    expect(client[name as EndpointName]).toBeTypeOf('function');
  }
});

test('the client drives a session from creation to deletion', async () => {
  const { url } = await streamRig();
  const client = createClient({ url: `${url}/`, token: TOKEN });
  const made = await client.createSession({ body: { name: 'fix-login', tags: ['web'] } });
  expect(await client.getSession({ params: { id: made.id } })).toEqual(made);
  await client.createSession({ body: { name: '日本語 の名前' } });

  const first = await client.listSessions({ query: { limit: 1 } });
  expect(first.items.map(({ name }) => name)).toEqual(['日本語 の名前']);
  const cursor = first.nextCursor as string;
  const rest = await client.listSessions({ query: { limit: 1, cursor, archived: false } });
  expect(rest).toMatchObject({ items: [{ id: made.id }], nextCursor: null });
  const matches = await client.searchSessions({ query: { name: 'の名' } });
  expect(matches.items).toHaveLength(1);

  const params = { id: made.id };
  const key = { idempotencyKey: 'once' };
  const sent = await client.sendMessage({ params, body: { message: '3' } }, key);
  const again = await client.sendMessage({ params, body: { message: '3' } }, key);
  expect(again.runId).toBe(sent.runId);
  const page = await client.sessionEvents({ params, query: { limit: 1 } });
  expect(page).toMatchObject({ items: [{ type: 'session.created' }], nextCursor: 1 });
  const exported = await client.exportSession({ params });
  expect(JSON.parse(exported.split('\n')[0] ?? '')).toMatchObject({ session: { id: made.id } });
  await client.terminate({ params });
  expect(await client.deleteSession({ params })).toBeUndefined();
});

test.each([301, 302, 303, 307, 308])('a redirect (%d) is not followed', async (status) => {
  const asked: string[] = [];
  const other = await stranger((request, response) => {
    asked.push(request.url ?? '');
    response.end('[]');
  });
  const url = await stranger((_, response) => {
    response.writeHead(status, { location: `${other}/elsewhere` }).end();
  });
  const client = createClient({ url, token: TOKEN });
  const sent = client.sendMessage({
    params: { id: crypto.randomUUID() },
    body: { message: 'for one server only' },
  });
  const error = await failure(sent);
  expect(error).toMatchObject({ code: 'bad_answer' });
  expect((error as Error).message).toContain(`${other}/elsewhere`);
  const stream = client.followSession(crypto.randomUUID());
  expect(await failure(stream.next())).toMatchObject({ code: 'bad_answer' });
  expect(asked).toEqual([]);
});

test('errors have a code, details and the request id', async () => {
  const { url } = await streamRig();
  const client = createClient({ url, token: TOKEN });
  const id = crypto.randomUUID();
  expect(await failure(client.getSession({ params: { id } }))).toMatchObject({
    name: 'BatonError',
    code: 'not_found',
    status: 404,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(await failure(client.createSession({ body: { name: ' ' } }))).toMatchObject({
    code: 'invalid_request',
    details: { field: 'name' },
  });
  const other = createClient({ url, token: 'another' });
  expect(await failure(other.listSessions())).toMatchObject({ code: 'unauthorized', status: 401 });
});

test('the error for an unreachable server names it and says what to do', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const error = await failure(createClient({ url }).listSessions());
  expect(error).toMatchObject({ code: 'server_unreachable', status: 503 });
  expect((error as Error).message).toContain(`${url} (ECONNREFUSED)`);
  expect((error as Error).message).toContain('baton up');
});

test('answers of other servers are recognised as not from Baton', async () => {
  const url = await stranger((request, response) => {
    const status = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 200);
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
  });
  const client = (path: string) => createClient({ url, fetch: () => fetch(`${url}/${path}`) });
  expect(await failure(client('200').listSessions())).toMatchObject({ code: 'bad_answer' });
  expect(await failure(client('502').listSessions())).toMatchObject({ code: 'server_unreachable' });
  expect(await failure(client('403').listSessions())).toMatchObject({ code: 'forbidden' });
  expect(await failure(client('418').listSessions())).toMatchObject({ code: 'bad_answer' });
  expect(await failure(client('200').followSession('x').next())).toMatchObject({
    code: 'bad_answer',
  });
});

test('an unknown error code of a newer server keeps its message and gets a known code', async () => {
  const url = await stranger((_, response) => {
    const error = { code: 'moon_full', message: 'Not tonight.', status: 409 };
    response.writeHead(409).end(JSON.stringify({ error, meta: { requestId: 'r' } }));
  });
  expect(await failure(createClient({ url }).listSessions())).toMatchObject({
    code: 'invalid_request',
    message: 'Not tonight. (moon_full)',
    requestId: 'r',
  });
});

test("an aborted call rejects with the caller's own reason", async () => {
  const url = await stranger(() => {});
  const call = createClient({ url }).listSessions({}, { signal: AbortSignal.timeout(50) });
  expect(await failure(call)).toMatchObject({ name: 'TimeoutError' });
});
