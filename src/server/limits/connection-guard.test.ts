import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { proxyCheck } from './address.ts';
import { ConnectionGuard } from './connection-guard.ts';
import { type ConnectionLimits, connectionLimits, descriptorLimit } from './connection-limits.ts';
import { whenClosed } from './when-closed.ts';

/** A server that accepts any credential. */
async function rig(
  { most = 100, perAddress = 100, perUser = 100 }: Partial<ConnectionLimits>,
  trusted: readonly string[] = [],
) {
  const warnings: object[] = [];
  const guard = new ConnectionGuard({
    most,
    perAddress,
    perUser,
    proxies: proxyCheck(trusted),
    log: { warn: (fields) => warnings.push(fields) },
  });
  const later: ServerResponse[] = [];
  let asked = 0;
  const server = createServer(({ headers, socket, url }, response) => {
    if (headers.authorization !== undefined) guard.admit(socket, headers.authorization);
    asked += 1;
    if (url === '/later') later.push(response);
    else response.end();
  }).listen(0, '127.0.0.1');
  server.on('upgrade', ({ headers }, socket) => {
    guard.admit(socket, headers.authorization ?? '');
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  guard.watch(server);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {}).resume();
    const accepted = once(server, 'connection');
    await Promise.all([accepted, once(socket, 'connect')]);
    return socket;
  };
  const ask = async (socket: Socket, headers = '', path = '/'): Promise<void> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    if (path !== '/later') await once(socket, 'data');
    else
      await until(() =>
        later.some((response) => response.req.socket.remotePort === socket.localPort),
      );
  };
  return {
    open,
    ask,
    warnings,
    asked: () => asked,
    later,
    /** Answers the requests of `/later` so far. */
    answer: () => {
      for (const response of later.splice(0)) response.end();
    },
  };
}

/** Which connections are still open, once `count` are not. */
async function openOf(sockets: readonly Socket[], closed: number): Promise<boolean[]> {
  await until(() => sockets.filter((socket) => socket.closed).length === closed);
  return sockets.map((socket) => !socket.closed);
}

const TOKEN = 'Authorization: Bearer x\r\n';

test('[H9] with too many connections of one address, the longest silent one is dropped, not the new one', async () => {
  const { open, ask, warnings } = await rig({ most: 100, perAddress: 2 });
  const first = await open();
  const second = await open();
  await ask(first);
  const third = await open();
  expect(await openOf([first, second, third], 1)).toEqual([true, false, true]);
  expect(warnings).toEqual([{ dropped: 1, most: 100, perAddress: 2, perUser: 100 }]);
});

test('[H9] a connection with an authenticated request is not dropped because of strangers', async () => {
  const { open, ask } = await rig({ most: 5, perAddress: 2 });
  const users = [await open(), await open()];
  for (const user of users) await ask(user, TOKEN);
  const strangers = [await open(), await open(), await open(), await open(), await open()];
  expect(await openOf(strangers, 3)).toEqual([false, false, false, true, true]);
  for (const user of users) await ask(user);
});

test('[H9] a connection is dropped before the server is full, to make room for the next one', async () => {
  const { open, ask } = await rig({ most: 3, perAddress: 100 });
  const sockets = [await open(), await open(), await open(), await open()];
  expect(await openOf(sockets, 2)).toEqual([false, false, true, true]);
  for (const socket of sockets.slice(2)) await ask(socket, TOKEN);
  const late = await open();
  await ask(late, TOKEN);
  expect(await openOf(sockets.slice(2), 0)).toEqual([true, true]);
});

test('[H9] a connection with more than 16 unanswered requests is closed', async () => {
  const { open, answer, asked } = await rig({ most: 100, perAddress: 100 });
  const request = 'GET /later HTTP/1.1\r\nHost: a\r\n\r\n';
  const [patient, eager] = [await open(), await open()];
  patient.write(request.repeat(16));
  await until(() => asked() === 16);
  eager.write(request.repeat(17));
  expect(await openOf([patient, eager], 1)).toEqual([true, false]);
  // Answered ones no longer count.
  answer();
  patient.write(request.repeat(16));
  await until(() => asked() >= 48);
  expect(patient.closed).toBe(false);
  patient.write(request);
  await openOf([patient], 1);
});

test.each([
  [
    'an upgrade',
    'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('[H9] responses that wait before %s are closed with their connection', async (_what, last) => {
  const { open, later } = await rig({});
  const socket = await open();
  socket.write('GET /later HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3) + last);
  await openOf([socket], 1);
  let closed = 0;
  for (const response of later) whenClosed(response, () => closed++);
  expect(later.length).toBe(3);
  await until(() => closed === 3);
});

test('[H9] requests with an unknown expectation count as well', async () => {
  const { open } = await rig({ most: 100, perAddress: 100 });
  const eager = await open();
  eager.write('GET /later HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'.repeat(17));
  expect(await openOf([eager], 1)).toEqual([false]);
});

test('[H9] a user with too many connections loses the longest silent one, and nobody else does', async () => {
  const { open, ask } = await rig({ perUser: 3 });
  const other = await open();
  await ask(other, 'Authorization: Bearer other\r\n');
  const own = [await open(), await open(), await open()];
  for (const socket of own) await ask(socket, TOKEN);
  // Whatever it asks: it is no longer silent.
  await ask(own[0]!);
  const next = await open();
  await ask(next, TOKEN);
  expect(await openOf([...own, next, other], 1)).toEqual([true, false, true, true, true]);
});

test('[H9] of these, a connection in use is dropped only if all are', async () => {
  const { open, ask } = await rig({ perUser: 3 });
  const own = [await open(), await open(), await open()];
  await ask(own[0]!, TOKEN, '/later');
  await ask(own[1]!, `${TOKEN}Connection: Upgrade\r\nUpgrade: websocket\r\n`);
  await ask(own[2]!, TOKEN);
  const next = [await open(), await open()];
  await ask(next[0]!, TOKEN, '/later');
  expect(await openOf([...own, next[0]!], 1)).toEqual([true, true, false, true]);
  await ask(next[1]!, TOKEN, '/later');
  expect(await openOf([...own, ...next], 2)).toEqual([false, true, false, true, true]);
});

test('[H9] connections of trusted proxies are not limited', async () => {
  const { open } = await rig({ most: 100, perAddress: 1 }, ['127.0.0.0/8']);
  expect(await openOf([await open(), await open(), await open()], 0)).toEqual([true, true, true]);
});

test('[H9] connections leave file descriptors for the database and every agent', () => {
  expect(connectionLimits(20_000, 10, 200)).toEqual({
    most: 15_000,
    perAddress: 512,
    perUser: 256,
  });
  expect(connectionLimits(1024, 10, 2000)).toEqual({
    most: 764,
    perAddress: 382,
    perUser: 191,
  });
  expect(connectionLimits(256, 10, 1)).toEqual({ most: 64, perAddress: 32, perUser: 16 });
  expect(connectionLimits(Number.POSITIVE_INFINITY, 10, 2000)).toEqual({
    most: 50_000,
    perAddress: 512,
    perUser: 2056,
  });
  expect(descriptorLimit()).toBeGreaterThan(100);
});
