import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { streamRig, TOKEN } from '../../../test/support/stream-rig.ts';
import { range } from '../../../test/support/tails.ts';
import { until } from '../../../test/support/until.ts';
import { WsReader } from '../../../test/support/ws-reader.ts';

type Rig = Awaited<ReturnType<typeof streamRig>>;
const AUTH = { authorization: `Bearer ${TOKEN}` };

function reader(rig: Rig, path: string): Promise<WsReader> {
  const made = new WsReader(`${rig.url}${path}`, AUTH);
  onTestFinished(() => made.socket.terminate());
  return made.open();
}

/** The server's response to an upgrade: the status line and the body. */
async function refusal(rig: Rig, path: string, headers: Record<string, string>) {
  const { socket, text } = raw(rig, path, headers);
  await once(socket, 'close');
  const [head = '', body = ''] = text().split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
}

function raw(rig: Rig, path: string, headers: Record<string, string> = AUTH) {
  const socket: Socket = connect(Number(new URL(rig.url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  const all = {
    Host: new URL(rig.url).host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return { socket, text: () => text };
}

test('[E2] [H3] a WebSocket has the same stream: one event per frame, in order, each once', async () => {
  const rig = await streamRig();
  const id = await rig.session(300);
  const all = await reader(rig, `/ws/sessions/${id}`);
  const some = await reader(rig, `/ws/sessions/${id}?after=290`);
  await until(() => all.events.length === 300);
  for (let i = 0; i < 50; i++) await rig.note(id, { n: i, text: '行\n' });
  await until(() => all.events.length === 350 && some.events.length === 60);
  expect(all.seqs).toEqual(range(1, 350));
  expect(some.seqs).toEqual(range(291, 350));
  expect(all.events.at(-1)).toMatchObject({ sessionId: id, payload: { n: 49, text: '行\n' } });
  expect([all.others, rig.connected()]).toEqual([[], 2]);
  all.socket.close();
  some.socket.terminate();
  await until(() => rig.connected() === 0 && rig.streams.count === 0);
});

test('[X1] [X3] an upgrade is refused before it happens', async () => {
  const rig = await streamRig({ limits: { perUser: 1 } });
  const id = await rig.session(3);
  const none = crypto.randomUUID();
  const stranger = await refusal(rig, `/ws/sessions/${id}`, {});
  expect([stranger.status, stranger.body.error.code]).toEqual([401, 'unauthorized']);
  expect(stranger.head).toMatch(/www-authenticate: bearer/i);
  const codes = async (path: string) => {
    const { status, body } = await refusal(rig, path, AUTH);
    return [status, body.error.code];
  };
  expect((await refusal(rig, '/nothing', { Authorization: 'Bearer no' })).status).toBe(401);
  expect(await codes('/nothing')).toEqual([404, 'not_found']);
  expect(await codes(`/api/v1/sessions/${id}`)).toEqual([404, 'not_found']);
  expect(await codes(`/ws/sessions/${none}`)).toEqual([404, 'not_found']);
  expect(await codes('/ws/sessions/x')).toEqual([400, 'invalid_request']);
  expect(await codes(`/ws/sessions/${id}?after=4`)).toEqual([400, 'cursor_ahead']);
  expect(await codes(`/ws/sessions/${id}?after=-1`)).toEqual([400, 'invalid_request']);
  expect(await codes(`/ws/sessions/${id}?x=1`)).toEqual([400, 'invalid_request']);
  expect(await codes(`/ws/sessions/${id}?after=%zz`)).toEqual([400, 'invalid_request']);
  await reader(rig, `/ws/sessions/${id}`);
  expect(await codes(`/ws/sessions/${id}`)).toEqual([429, 'too_many_streams']);
  expect(rig.connected()).toBe(1);
});

test('[E9] [H3] a WebSocket can have hints, with pings that a page can see', async () => {
  const rig = await streamRig({ limits: { pingMs: 50 } });
  const hints = await reader(rig, '/ws/events?pings=true');
  const silent = await reader(rig, '/ws/events');
  const id = await rig.session(2);
  const hintsOfSession = () =>
    hints.others.filter((each) => (each as { sessionId?: string }).sessionId === id);
  await until(() => hintsOfSession().some((each) => (each as { lastSeq: number }).lastSeq === 2));
  await until(() => hints.others.some((each) => (each as { type?: string }).type === 'ping'));
  expect(silent.others.some((each) => (each as { type?: string }).type === 'ping')).toBe(false);
  // It does not count as a connection of a session.
  expect([rig.streams.count, rig.connected()]).toEqual([2, 0]);
  const { status, body } = await refusal(rig, '/ws/events', {});
  expect([status, body.error.code]).toEqual([401, 'unauthorized']);
  expect((await refusal(rig, '/ws/events?after=1', AUTH)).status).toBe(400);
  await rig.streams.close();
  expect((await hints.end())[0]).toBe(1012);
});

test('an invalid handshake leaves nothing open', async () => {
  const rig = await streamRig();
  const id = await rig.session();
  const { socket, text } = raw(rig, `/ws/sessions/${id}`, { ...AUTH, 'Sec-WebSocket-Key': 'no' });
  await once(socket, 'close');
  expect(text()).toMatch(/^HTTP\/1\.1 400 /);
  await until(() => rig.connected() === 0);
  expect(rig.streams.count).toBe(0);
});

test('an offer of HTTP/2 is treated as an ordinary request', async () => {
  const rig = await streamRig();
  const { socket, text } = raw(rig, '/healthz', { Upgrade: 'h2c', 'HTTP2-Settings': 'AA' });
  await until(() => text().includes('{"status":"ok"}'));
  expect(text()).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('a client may ping, and nothing else', async () => {
  const rig = await streamRig();
  const id = await rig.session(1);
  const client = await reader(rig, `/ws/sessions/${id}`);
  client.socket.send('{"type":"ping"}');
  client.socket.send('{ "type" : "ping" }');
  await until(() => client.others.length === 2);
  expect(client.others).toEqual([{ type: 'pong' }, { type: 'pong' }]);
  const closing = async (send: (socket: WsReader['socket']) => void): Promise<number> => {
    const one = await reader(rig, `/ws/sessions/${id}`);
    send(one.socket);
    return (await one.end())[0];
  };
  expect(await closing((ws) => ws.send('{"type":"input"}'))).toBe(1008);
  expect(await closing((ws) => ws.send('{"type":"ping","more":1}'))).toBe(1008);
  expect(await closing((ws) => ws.send('null'))).toBe(1008);
  expect(await closing((ws) => ws.send('garbage'))).toBe(1008);
  expect(await closing((ws) => ws.send(Buffer.from('{"type":"ping"}')))).toBe(1003);
  expect(await closing((ws) => ws.send('x'.repeat(100_000)))).toBe(1009);
  expect(client.closed).toBeNull();
  client.socket.close();
  await until(() => rig.connected() === 0 && rig.streams.count === 0);
});

test('garbage instead of frames ends only that connection', async () => {
  const rig = await streamRig();
  const id = await rig.session(5);
  const witness = await reader(rig, `/ws/sessions/${id}`);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      const { socket, text } = raw(rig, `/ws/sessions/${id}`);
      await until(() => text().includes('101 Switching'));
      socket.end(bytes);
      await once(socket, 'close');
    }),
    { numRuns: 40 },
  );
  await until(() => rig.streams.count === 1);
  await rig.note(id);
  await until(() => witness.events.length === 6);
  expect([witness.closed, rig.connected()]).toEqual([null, 1]);
});

test('a client that answers no pings is disconnected', async () => {
  const rig = await streamRig({ limits: { pingMs: 20, stallMs: 60 } });
  const id = await rig.session();
  const lively = await reader(rig, `/ws/sessions/${id}`);
  const { socket, text } = raw(rig, `/ws/sessions/${id}`);
  await once(socket, 'close');
  expect(text()).toMatch(/^HTTP\/1\.1 101 /);
  await until(() => lively.pings > 10);
  expect(lively.closed).toBeNull();
  expect(rig.streams.count).toBe(1);
});

test('[E2] a stopping server closes with 1012 and the cursor', async () => {
  const rig = await streamRig();
  const id = await rig.session(4);
  const client = await reader(rig, `/ws/sessions/${id}`);
  await until(() => client.events.length === 4);
  await rig.streams.close();
  expect(await client.end()).toEqual([1012, 'restart, resume after 4']);
});

test('[E4] a reader that takes nothing is dropped', async () => {
  const rig = await streamRig({
    limits: { stallMs: 300, endMs: 50 },
    follow: { stallMs: 300, pollMs: 20 },
  });
  const id = await rig.session();
  const { socket, text } = raw(rig, `/ws/sessions/${id}`);
  await until(() => text().includes('101 Switching'));
  socket.pause();
  const other = await reader(rig, `/ws/sessions/${id}`);
  const text100k = 'x'.repeat(100_000);
  let written = 1;
  for (; rig.counted.dropped.length === 0; written++) {
    await rig.note(id, text100k);
    await until(() => other.events.length === written + 1);
  }
  expect(rig.counted.dropped).toEqual(['ws']);
  await until(() => rig.streams.count === 1);
  expect(other.seqs).toEqual(range(1, written));
});

test('[S3] a reader that leaves before its stream is open leaves no connection behind', async () => {
  const rig = await streamRig();
  const id = await rig.session(1);
  const { connect: enter } = rig.services.logs;
  const entered = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  rig.services.logs.connect = async (...given) => {
    entered.resolve();
    await gone.promise;
    const connection = await enter(...given);
    opened.resolve();
    return connection;
  };
  let server: Duplex | undefined;
  rig.app.server.prependListener('upgrade', (_request, socket: Duplex) => {
    server = socket;
  });
  const { socket } = raw(rig, `/ws/sessions/${id}`);
  await entered.promise;
  socket.resetAndDestroy();
  await until(() => server?.closed === true);
  gone.resolve();
  await opened.promise;
  await until(() => rig.connected() === 0);
});
