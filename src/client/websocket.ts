import type { CreateTicket, Ticket } from '../contract/ticket.ts';
import type { Operation } from './operation.ts';
import { type ClientOptions, request, urlOf } from './request.ts';
import type { Connection, Transport } from './transport.ts';

export interface WebSocketOptions {
  /** Opens the streams that have no WebSocket, and all streams while WebSockets are blocked. */
  readonly fallback: Transport;
  readonly createTicket: Pick<Operation, 'method' | 'path'>;
  /** Emits `offline` and `online`, like a browser's window. */
  readonly network?: EventTarget;
  /** Replaced by tests, which must send what a browser sends. */
  readonly connect?: (url: string) => WebSocket;
}

/** The WebSocket path of each stream that has one, keyed by its operation's path. */
const PATHS: Readonly<Record<string, string>> = {
  '/api/v1/events': '/ws/events',
  '/api/v1/sessions/{id}/events': '/ws/sessions/{id}',
};
/** How long to avoid WebSockets after something between here and the server has blocked one. */
const BLOCKED_MS = 10 * 60_000;
/** Time to connect; a proxy may swallow WebSockets without refusing them. */
const CONNECT_MS = 10_000;
const PING = '{"type":"ping"}';

/**
 * Streams as WebSockets, for pages: a browser opens at most six other connections to a server
 * across all tabs, so the streams of a few tabs would block everything else.
 */
export function webSockets(client: ClientOptions, options: WebSocketOptions): Transport {
  const { fallback, createTicket, network } = options;
  const connect = options.connect ?? ((url) => new WebSocket(url));
  let blockedUntil = 0;
  return async (stream, on) => {
    const path = PATHS[stream.operation.path];
    if (path === undefined || Date.now() < blockedUntil) return fallback(stream, on);
    const { input } = stream;
    const at = urlOf(client, { path }, { ...input, query: { ...input.query, pings: true } });
    const body: CreateTicket = { path: new URL(at).pathname };
    // A WebSocket cannot send the page key as a header.
    const answer = await request(client, createTicket, { body }, on);
    const { ticket } = (await answer.json()) as Ticket;
    const socket = connect(`${at.replace('http', 'ws')}&ticket=${ticket}`);
    const opened = await open(socket, on.signal, network);
    if (opened !== null) return opened;
    // Browsers do not say why a WebSocket was refused; a plain request shows the reason.
    const connection = await fallback(stream, on);
    blockedUntil = Date.now() + BLOCKED_MS;
    return connection;
  };
}

/** Null if the socket could not be opened. Throws if nobody is waiting for the socket any more. */
function open(
  socket: WebSocket,
  signal: AbortSignal,
  network?: EventTarget,
): Promise<Connection | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection | null>();
  const listening = new AbortController();
  let isOver = false;
  let texts: string[] = [];
  let wake = (): void => {};
  const isConnecting = (): boolean => socket.readyState === WebSocket.CONNECTING;
  const end = (): void => {
    isOver = true;
    listening.abort();
    clearTimeout(timer);
    resolve(null);
    wake();
  };
  // Does not wait for the socket to close, because that takes minutes without a network.
  const abandon = (): void => {
    reject(signal.aborted ? signal.reason : new TypeError('The network has changed.'));
    end();
    // A socket that is still connecting is closed once it opens; closing it now makes browsers log
    // an error.
    if (!isConnecting()) socket.close();
  };
  const timer = setTimeout(() => isConnecting() && end(), CONNECT_MS);
  socket.onopen = () => (isOver ? socket.close() : resolve(read()));
  socket.onmessage = ({ data }) => {
    if (isOver) return;
    texts.push(data);
    wake();
  };
  socket.onclose = end;
  signal.addEventListener('abort', abandon, listening);
  // The socket may look open long after the network is gone.
  network?.addEventListener('offline', abandon, listening);
  // A connection attempt made without a network may never get a response.
  network?.addEventListener('online', () => isConnecting() && abandon(), listening);
  if (signal.aborted) abandon();
  return promise;

  async function* read(): Connection {
    for (;;) {
      signal.throwIfAborted();
      if (texts.length > 0) {
        const batch = texts;
        texts = [];
        yield batch.filter((text) => text !== PING);
      } else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
}
