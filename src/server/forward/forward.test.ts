import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN } from '../../../test/support/authenticator-rig.ts';
import { forwardRig } from '../../../test/support/forward-rig.ts';
import { until } from '../../../test/support/until.ts';
import { BatonError } from '../../contract/errors.ts';

const AUTH = { authorization: `Bearer ${ADMIN_TOKEN}` };
const MIB = 1024 * 1024;

/** A long text, and how much of it was read. */
function endless() {
  const state = { read: 0, closed: false };
  const source = new Readable({
    read() {
      state.read += MIB;
      this.push(Buffer.alloc(MIB, 'x'));
    },
    destroy(error, done) {
      state.closed = true;
      done(error);
    },
  });
  return { source, state };
}

test('[X7] a request goes to the host of its session, with its caller but without their secrets', async () => {
  const rig = await forwardRig();
  const [one, two] = [await rig.node('one'), await rig.node('two')];
  const hanako = await rig.people.user('hanako');
  const { id, token } = await rig.people.token(hanako.id);
  const answer = await one.ask('POST', `${rig.session('two')}/echo?q=%E8%A1%8C`, {
    headers: {
      authorization: `Bearer ${token}`,
      cookie: 'secret=1',
      'content-type': 'application/json',
      'idempotency-key': 'k',
      'x-forwarded-for': '203.0.113.9',
    },
    body: '{ "text": "\\u884c" }',
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    ...{ host: 'two', body: { text: '行' }, query: { q: '行' }, idempotencyKey: 'k' },
  });
  const [heard] = two.heard;
  expect(heard?.by).toEqual({
    ...{ userId: hanako.id, role: 'operator', channel: 'api', scopes: ['read', 'run'] },
    ...{ credential: `token:${id}`, address: '127.0.0.1' },
    requestId: answer.headers.get('x-request-id'),
  });
  const names = ['authorization', 'cookie', 'x-forwarded-for', 'user-agent'];
  for (const name of names) expect(heard?.headers).not.toHaveProperty(name);
  expect(one.heard).toEqual([]);
  expect(await (await one.ask('GET', `${rig.session('one')}/artefacts/a.txt`)).text()).toBe(
    'from one',
  );
  const head = await one.ask('HEAD', `${rig.session('two')}/artefacts/a.txt`);
  expect([head.status, head.headers.get('content-type')]).toEqual([
    200,
    'text/plain; charset=utf-8',
  ]);
});

test('[X7] an answer is read only as fast as its caller takes it, and ends when the caller leaves', async () => {
  const rig = await forwardRig();
  const { source, state } = endless();
  const one = await rig.node('one');
  await rig.node('two', { artefact: () => source });
  const sent = get(`${one.url}${rig.session('two')}/artefacts/a.txt`, { headers: AUTH });
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.pause();
  let before = -1;
  // Everything between the source and the caller is full.
  await until(
    () => {
      const isFull = state.read === before && state.read > 0;
      before = state.read;
      return isFull;
    },
    { every: 150 },
  );
  expect(state.read).toBeLessThan(64 * MIB);
  const enough = 2 * before;
  for (let taken = 0; taken < enough; ) {
    const piece = answer.read() as Buffer | null;
    if (piece === null) await once(answer, 'readable');
    else taken += piece.length;
  }
  expect(state.read).toBeGreaterThan(before);
  expect(state.closed).toBe(false);
  sent.destroy();
  await until(() => state.closed);
});

test('[X7] an answer that breaks off there breaks off here', async () => {
  const rig = await forwardRig();
  const { source } = endless();
  const one = await rig.node('one');
  await rig.node('two', { artefact: () => source });
  const answer = await one.ask('GET', `${rig.session('two')}/artefacts/a.txt`);
  const reader = answer.body!.getReader();
  await reader.read();
  source.destroy(new Error('The disk is gone.'));
  await expect(
    (async () => {
      while (!(await reader.read()).done);
    })(),
  ).rejects.toThrow();
});

test('[X7] an error of the other host is the caller’s answer, under the caller’s request id', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  await rig.node('two', {
    artefact: () => {
      throw new BatonError('not_found', 'There is no such artefact.');
    },
  });
  const answer = await one.ask('GET', `${rig.session('two')}/artefacts/a.txt`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    404,
    'application/json; charset=utf-8',
  ]);
  expect(await answer.json()).toMatchObject({
    error: { code: 'not_found', message: 'There is no such artefact.' },
    meta: { requestId: answer.headers.get('x-request-id') },
  });
});

test('[X7] [H9] a forwarded download counts as a stream where it arrived, and not where it goes', async () => {
  const rig = await forwardRig();
  const [one, full] = [await rig.node('one'), await rig.node('three', { streamsPerUser: 0 })];
  await rig.node('two', { streamsPerUser: 0 });
  const artefact = `${rig.session('two')}/artefacts/a.txt`;
  expect((await one.ask('GET', artefact)).status).toBe(200);
  expect((await full.ask('GET', artefact)).status).toBe(429);
});

test.each(['one', 'two'])(
  '[X3] [X7] a download ends when its session is no longer shared, on host %s when it arrives on one',
  async (host) => {
    const rig = await forwardRig();
    const sources = [endless(), endless()];
    const nodes = [
      await rig.node('one', { artefact: () => sources[0]!.source }),
      await rig.node('two', { artefact: () => sources[1]!.source }),
    ];
    const { state } = sources[nodes.findIndex((node) => node.host === host)]!;
    const viewer = await rig.people.user('hanako', 'viewer');
    const { token } = await rig.people.token(viewer.id);
    const session = rig.session(host);
    const headers = { authorization: `Bearer ${token}` };
    const sent = get(`${nodes[0]!.url}${session}/artefacts/a.txt`, { headers });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const { streams } = nodes[0]!;
    answer.pause().on('error', () => {});
    const closed = new Promise((resolve) => answer.once('close', resolve));
    await streams.recheckAccess();
    expect([answer.destroyed, state.closed]).toEqual([false, false]);
    rig.unshare(session);
    await streams.recheckAccess();
    await until(() => state.closed);
    answer.resume();
    await closed;
    expect(answer.complete).toBe(false);
  },
);

test('[X7] without a node that can be reached the answer is 503 with the name of the host', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  const artefact = `${rig.session('two')}/artefacts/a.txt`;
  const away = async () => {
    const answer = await one.ask('GET', artefact);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error).toMatchObject({ code: 'host_away', details: { host: 'two' } });
    expect(error.message).toContain('"the two"');
  };
  await away();
  await rig.node('two', { url: null });
  await away();
  const gone = await rig.node('two');
  await gone.stop();
  await away();
  const working = await rig.node('two');
  expect(await (await one.ask('GET', artefact)).text()).toBe('from two');
  expect(one.log.of('A request could not be forwarded').length).toBeGreaterThan(0);
  await working.stop();
  await away();
});

test('[X7] a read on a kept connection that breaks is repeated once, and a write is not', async () => {
  const rig = await forwardRig();
  const [one, two] = [await rig.node('one'), await rig.node('two')];
  let asked = 0;
  two.app.server.on('request', () => asked++);
  const session = rig.session('two');
  const read = (method = 'GET') => one.ask(method, `${session}/artefacts/a.txt`);
  /** Resets the connections of the next requests when these arrive. */
  const breaks = (count: number): void => {
    asked = 0;
    if (count > 0) {
      two.app.server.prependOnceListener('request', ({ socket }) => {
        socket.resetAndDestroy();
        breaks(count - 1);
      });
    }
  };
  for (const method of ['GET', 'HEAD']) {
    expect(await (await read()).text()).toBe('from two');
    breaks(1);
    expect([(await read(method)).status, asked]).toEqual([200, 2]);
  }

  // Not even the second try works.
  expect(await (await read()).text()).toBe('from two');
  breaks(2);
  expect((await read()).status).toBe(503);

  expect(await (await read()).text()).toBe('from two');
  breaks(1);
  const written = await one.ask('POST', `${session}/echo`, {
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: '{ "text": "" }',
  });
  expect([written.status, asked]).toEqual([503, 1]);
});

test('[X7] a redirect is not followed, and a page of another server is not passed on', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  const target = await rig.node('two', { url: null });
  const other = createServer((request, response) => {
    response.writeHead(302, { location: `${target.url}${request.url}` }).end();
  });
  other.listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await rig.node('two', { url: `http://127.0.0.1:${port}` });
  const answer = await one.ask('GET', `${rig.session('two')}/artefacts/a.txt`);
  expect([answer.status, answer.headers.get('location')]).toEqual([503, null]);
  expect(target.heard).toEqual([]);
  // Another node of the host is asked instead.
  await rig.node('two');
  await rig.node('two', { url: `http://127.0.0.1:${port}` });
  const again = await one.ask('GET', `${rig.session('two')}/artefacts/a.txt`);
  expect(await again.text()).toBe('from two');
});
