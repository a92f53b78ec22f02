import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';
import { ADMIN_TOKEN } from '../../../test/support/authenticator-rig.ts';
import { forwardRig, STOP_GRACE_MS, type TestNode } from '../../../test/support/forward-rig.ts';
import { until } from '../../../test/support/until.ts';

const AUTH = { authorization: `Bearer ${ADMIN_TOKEN}` };
const MIB = 1024 * 1024;

const pathOf = (session: string): string => session.replace('/api/v1', '/ws').concat('/test');

function connect(node: TestNode, path: string, headers: Record<string, string> = AUTH): WebSocket {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}${path}`, { headers });
  socket.on('error', () => {});
  onTestFinished(() => socket.terminate());
  return socket;
}

async function refusalOf(socket: WebSocket) {
  const [, answer] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  return { status: answer.statusCode, ...JSON.parse(text) };
}

test('[X7] a WebSocket reaches the host of its session: both directions, in order, until either end closes', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const rig = await forwardRig();
  const [one, two] = [await rig.node('one'), await rig.node('two', { servesApi: false })];
  const path = `${pathOf(rig.session('two'))}?a=1`;
  const near = connect(one, path);
  await once(near, 'open');
  const [far] = two.sockets as [WebSocket];
  expect(two.heard[0]?.by).toMatchObject({ userId: 'admin', credential: 'admin' });
  expect(two.heard[0]?.headers).not.toHaveProperty('authorization');
  far.on('message', (data, isBinary) => far.send(data, { binary: isBinary }));
  const sent = Array.from({ length: 20 }, (_, i) => randomBytes(i * 40_000));
  const got: Buffer[] = [];
  near.on('message', (data) => got.push(data as Buffer));
  for (const each of sent) near.send(each);
  await until(() => got.length === sent.length);
  expect(got.every((each, i) => each.equals(sent[i] as Buffer))).toBe(true);

  near.close(4001, 'done');
  expect((await once(far, 'close'))[0]).toBe(4001);
  const again = connect(one, path);
  await once(again, 'open');
  two.sockets[1]?.close(4002);
  expect((await once(again, 'close'))[0]).toBe(4002);
  const cut = connect(one, path);
  await once(cut, 'open');
  cut.terminate();
  await once(two.sockets[2] as WebSocket, 'close');
  const left = connect(one, path);
  await once(left, 'open');
  two.sockets[3]?.terminate();
  await once(left, 'close');
  expect(warned).not.toHaveBeenCalled();
});

test('[X7] a WebSocket passes on no more than its reader takes', async () => {
  const rig = await forwardRig();
  const [one, two] = [await rig.node('one'), await rig.node('two')];
  const near = connect(one, pathOf(rig.session('two')));
  await once(near, 'open');
  near.pause();
  const [far] = two.sockets as [WebSocket];
  const piece = Buffer.alloc(MIB);
  for (let i = 0; i < 64; i++) far.send(piece);
  let before = -1;
  await until(
    () => {
      const isFull = far.bufferedAmount === before;
      before = far.bufferedAmount;
      return isFull;
    },
    { every: 150 },
  );
  expect(far.bufferedAmount).toBeGreaterThan(32 * MIB);
  let got = 0;
  near.on('message', (data) => {
    got += (data as Buffer).length;
  });
  near.resume();
  await until(() => got === 64 * MIB);
});

test('[X7] a refused WebSocket gets the answer of the node that refused it', async () => {
  const rig = await forwardRig();
  const [one, two] = [await rig.node('one'), await rig.node('two', { refuses: true })];
  const path = pathOf(rig.session('two'));
  expect(await refusalOf(connect(one, path))).toMatchObject({
    status: 409,
    error: { code: 'session_ended' },
  });
  expect(await refusalOf(connect(one, path, {}))).toMatchObject({ status: 401 });
  const line = { method: 'GET', url: path };
  expect(await refusalOf(connect(two, path, await rig.credential(one, line)))).toMatchObject({
    status: 401,
  });
  const hints = await rig.credential(two, { method: 'GET', url: '/ws/events' });
  expect(await refusalOf(connect(two, '/ws/events', hints))).toMatchObject({ status: 421 });
  const elsewhere = pathOf(rig.session('three'));
  const hop = await rig.credential(two, { method: 'GET', url: elsewhere });
  expect(await refusalOf(connect(two, elsewhere, hop))).toMatchObject({ status: 421 });
  expect(await refusalOf(connect(one, elsewhere))).toMatchObject({
    status: 503,
    error: { code: 'host_away', details: { host: 'three' } },
  });
  const viewer = await rig.people.user('hanako', 'viewer');
  const { token } = await rig.people.token(viewer.id);
  const asViewer = connect(one, path, { authorization: `Bearer ${token}` });
  expect(await refusalOf(asViewer)).toMatchObject({ status: 403 });
});

test('[X7] [H9] a WebSocket counts as a stream where it arrived, and a node that stops ends it', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one', { streamsPerUser: 1 });
  await rig.node('two', { streamsPerUser: 0 });
  const path = pathOf(rig.session('two'));
  const first = connect(one, path);
  await once(first, 'open');
  expect(await refusalOf(connect(one, path))).toMatchObject({ status: 429 });
  const closed = once(first, 'close');
  await one.stop();
  await closed;
});

/** Fails if it takes as long as the server gives open requests, or longer. */
async function stopsAtOnce(node: TestNode): Promise<void> {
  const before = performance.now();
  await node.stop();
  expect(performance.now() - before).toBeLessThan(STOP_GRACE_MS);
}

test.each([
  ['the node where it arrived and is', 'one', 'one'],
  ['the node where it arrived', 'two', 'one'],
  ['the node it was forwarded to', 'two', 'two'],
])('[X7] [Q20] an open WebSocket does not delay a stop of %s', async (_what, of, stopping) => {
  const rig = await forwardRig();
  const nodes = { one: await rig.node('one'), two: await rig.node('two') };
  const socket = connect(nodes.one, pathOf(rig.session(of)));
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await stopsAtOnce(nodes[stopping as 'one' | 'two']);
  await closed;
});

test('[X7] [Q20] a WebSocket that waits for its destination does not delay a stop', async () => {
  const rig = await forwardRig();
  const asked = Promise.withResolvers<Socket>();
  const silent = createServer((socket) => socket.once('data', () => asked.resolve(socket)));
  silent.listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const one = await rig.node('one');
  const { port } = silent.address() as AddressInfo;
  await rig.node('two', { url: `http://127.0.0.1:${port}` });
  const socket = connect(one, pathOf(rig.session('two')));
  // Not `once`, which would reject with the error that comes first.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const far = await asked.promise;
  const left = once(far, 'close');
  await stopsAtOnce(one);
  await Promise.all([closed, left]);
});

test('[X7] [X4] a WebSocket to another host ends with the credential it was opened with', async () => {
  const rig = await forwardRig();
  const [one] = [await rig.node('one'), await rig.node('two')];
  const hanako = await rig.people.user('hanako', 'operator');
  const { id, token } = await rig.people.token(hanako.id);
  const path = pathOf(rig.session('two'));
  const socket = connect(one, path, { authorization: `Bearer ${token}` });
  await once(socket, 'open');
  await one.streams.recheckAccess();
  expect(socket.readyState).toBe(WebSocket.OPEN);
  const closed = once(socket, 'close');
  await rig.store.revokeToken(id);
  await one.streams.recheckAccess();
  await closed;
});

test.each(['one', 'two'])(
  '[X3] [X7] a WebSocket ends when its session is no longer shared, on host %s when it arrives on one',
  async (host) => {
    const rig = await forwardRig();
    const [one] = [await rig.node('one'), await rig.node('two')];
    const hanako = await rig.people.user('hanako', 'operator');
    // The route needs no more than this right.
    const { token } = await rig.people.token(hanako.id, { scopes: ['run'] });
    const session = rig.session(host);
    const socket = connect(one, pathOf(session), { authorization: `Bearer ${token}` });
    await once(socket, 'open');
    await one.streams.recheckAccess();
    expect(socket.readyState).toBe(WebSocket.OPEN);
    const closed = once(socket, 'close');
    rig.unshare(session);
    await one.streams.recheckAccess();
    await closed;
  },
);
