import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { peopleOf } from '../../test/support/authenticator-rig.ts';
import { ADMIN } from '../../test/support/stream-rig.ts';
import { signInByHand } from '../../test/web/by-hand.ts';
import { operations } from '../contract/api/operations.ts';
import { BatonError } from '../contract/errors.ts';
import { PAGE_KEY_HEADER } from '../contract/page-key.ts';
import { createClient } from './client.ts';
import { eventText, transportSuite } from './conformance/transport.ts';
import { sse } from './sse.ts';
import type { StreamRequest, Transport } from './transport.ts';
import { type WebSocketOptions, webSockets } from './websocket.ts';

const { createTicket, runEvents } = operations;

/** A client like the page's, which sends what a signed-in browser sends. */
function pageAt(url: string, headers: Record<string, string>) {
  const own = { ...headers, origin: url };
  const server = {
    url,
    fetch: ((input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as object), ...own } })) as typeof fetch,
  };
  const events = sse(server);
  // Only shows why a WebSocket was refused, so that all events come through WebSockets.
  const fallback: Transport = async (stream, options) => {
    const connection = await events(stream, options);
    if (stream.operation.path === runEvents.path) return connection;
    throw new BatonError('server_unreachable');
  };
  const connect = (at: string): WebSocket => new WebSocket(at, { headers: own });
  return createClient({
    ...server,
    transport: webSockets(server, { fallback, createTicket, connect }),
  });
}

/** Answers the request for a ticket. */
const withTicket = (async () =>
  Response.json({ ticket: 'once', expiresAt: new Date(0).toISOString() })) as typeof fetch;

transportSuite({
  // The ticket comes first.
  handshakeBytes: 1000,
  connections: 2,
  async signIn(rig) {
    const people = peopleOf(rig.store);
    const { token } = await people.token(ADMIN.userId);
    const { cookie, pageKey } = await signInByHand(rig.url, token);
    const headers = { cookie, [PAGE_KEY_HEADER]: pageKey };
    return {
      client: (url) => pageAt(url, headers),
      stranger: (url) => pageAt(url, { cookie, [PAGE_KEY_HEADER]: 'another' }),
      revoke: () =>
        fetch(`${rig.url}/sign-out`, { method: 'POST', headers: { ...headers, origin: rig.url } }),
    };
  },
  async scripted(play) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sockets = new WebSocketServer({ server });
    let connections = 0;
    sockets.on('connection', (socket) =>
      play(
        {
          event: (seq) => socket.send(eventText(seq)),
          ping: () => socket.send('{"type":"ping"}'),
          end: () => socket.close(),
          onClose: (then) => socket.on('close', then),
        },
        ++connections,
      ),
    );
    onTestFinished(() => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const own = { url, fetch: withTicket };
    const fallback = (): never => {
      throw new BatonError('server_unreachable');
    };
    return createClient({
      ...own,
      transport: webSockets(own, { fallback, createTicket }),
    });
  },
});

/** A socket that the test opens and closes, as a browser would. */
class HandSocket {
  readyState: number = WebSocket.CONNECTING;
  onopen = (): void => {};
  onclose = (): void => {};
  onmessage = (_: { data: string }): void => {};
  open(): void {
    this.readyState = WebSocket.OPEN;
    this.onopen();
  }
  close(): void {
    this.readyState = WebSocket.CLOSED;
    this.onclose();
  }
}

/** A transport over sockets that the test opens and closes. */
function byHand(url = 'http://localhost:8080', options: Partial<WebSocketOptions> = {}) {
  const urls: string[] = [];
  const sockets: HandSocket[] = [];
  const fallbacks: StreamRequest[] = [];
  const transport = webSockets(
    { url, fetch: withTicket },
    {
      createTicket,
      fallback: async (stream) => {
        fallbacks.push(stream);
        return (async function* () {})();
      },
      connect: (at) => {
        urls.push(at);
        const socket = new HandSocket();
        sockets.push(socket);
        return socket as unknown as WebSocket;
      },
      ...options,
    },
  );
  const open = (stream: StreamRequest, signal = new AbortController().signal) =>
    transport(stream, { signal, onRetry: () => {} });
  const hints: StreamRequest = { operation: operations.hints, input: {} };
  return { open, hints, urls, sockets, fallbacks };
}

test('[E2] [H3] only streams of sessions and hints have a WebSocket', async () => {
  const { open, hints, urls, sockets, fallbacks } = byHand();
  const log = { params: { id: 'abc' }, query: { after: 7 } };
  const opening = [open(hints), open({ operation: operations.sessionEvents, input: log })];
  await vi.waitFor(() => expect(sockets).toHaveLength(2));
  for (const socket of sockets) socket.open();
  await Promise.all(opening);
  expect(urls).toEqual([
    'ws://localhost:8080/ws/events?pings=true&ticket=once',
    'ws://localhost:8080/ws/sessions/abc?after=7&pings=true&ticket=once',
  ]);
  await open({ operation: runEvents, input: log });
  expect([urls.length, fallbacks.length]).toEqual([2, 1]);
  const far = byHand('https://baton.example');
  const stream = far.open(far.hints);
  await vi.waitFor(() => expect(far.sockets).toHaveLength(1));
  far.sockets[0]?.open();
  await stream;
  expect(far.urls[0]).toMatch(/^wss:/);
});

test('a refused WebSocket is replaced, and not tried again for a while', async () => {
  const { open, hints, sockets, fallbacks } = byHand();
  const first = open(hints);
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  sockets[0]?.close();
  await first;
  await open(hints);
  expect([sockets.length, fallbacks.length]).toEqual([1, 2]);
});

test('a refusal that a plain request explains does not count as blocked', async () => {
  let refusals = 0;
  const fallback = async (): Promise<never> => {
    refusals++;
    throw new BatonError('not_found');
  };
  const { open, hints, sockets } = byHand(undefined, { fallback });
  for (const n of [1, 2]) {
    const refused = expect(open(hints)).rejects.toMatchObject({ code: 'not_found' });
    await vi.waitFor(() => expect(sockets).toHaveLength(n));
    sockets[n - 1]?.close();
    await refused;
  }
  expect(refusals).toBe(2);
});

test('a change of the network ends connections and attempts that may hang', async () => {
  const network = new EventTarget();
  const { open, hints, sockets, fallbacks } = byHand(undefined, { network });
  const attempt = open(hints);
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  network.dispatchEvent(new Event('online'));
  await expect(attempt).rejects.toThrow('The network has changed.');
  // Closing it while it connects makes browsers log an error.
  expect(sockets[0]?.readyState).toBe(WebSocket.CONNECTING);
  sockets[0]?.open();
  expect(sockets[0]?.readyState).toBe(WebSocket.CLOSED);

  const opening = open(hints);
  await vi.waitFor(() => expect(sockets).toHaveLength(2));
  sockets[1]?.open();
  const connection = (await opening) as AsyncGenerator<readonly string[]>;
  network.dispatchEvent(new Event('online'));
  sockets[1]?.onmessage({ data: '{"all":true}' });
  expect((await connection.next()).value).toEqual(['{"all":true}']);
  const next = connection.next();
  network.dispatchEvent(new Event('offline'));
  expect(await next).toEqual({ done: true, value: undefined });
  expect(sockets[1]?.readyState).toBe(WebSocket.CLOSED);
  expect(fallbacks).toEqual([]);
});

test('aborting throws the reason, even while frames are waiting', async () => {
  const { open, hints, sockets } = byHand();
  const stop = new AbortController();
  const opening = open(hints, stop.signal);
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  sockets[0]?.open();
  const connection = (await opening) as AsyncGenerator<readonly string[]>;
  sockets[0]?.onmessage({ data: '1' });
  stop.abort(new Error('enough'));
  await expect(connection.next()).rejects.toThrow('enough');
});
