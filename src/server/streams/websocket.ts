import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Principal } from '../../access/principal.ts';
import { requireRight } from '../../access/require-right.ts';
import type { Right } from '../../contract/access.ts';
import { flagIn } from '../../contract/api/endpoint.ts';
import { streamEndpoints } from '../../contract/api/streams.ts';
import { BatonError } from '../../contract/errors.ts';
import { linkQuery } from '../../contract/ticket.ts';
import { parseInput } from '../../queue/parse-input.ts';
import { isForwarded, type RequestAuthenticator } from '../auth.ts';
import { endWith } from '../client-error.ts';
import { envelope, retryAfterOf, toBatonError } from '../errors.ts';
import type { Forwarder } from '../forward/forwarder.ts';
import { tunnel, type UpgradeRequest } from '../forward/tunnel.ts';
import { whenClosed } from '../limits/when-closed.ts';
import { parseQuery } from '../query-string.ts';
import { type Api, notServed } from '../route.ts';
import { STATUS_CODES } from '../status-codes.ts';
import { ticketOfUrl } from '../url-ticket.ts';
import { checkCursor } from './cursor.ts';
import { followLog } from './follow-log.ts';
import { followHints } from './hint-stream.ts';
import type { OpenStreams, StreamMetrics } from './open-streams.ts';
import { isStillValid } from './read-check.ts';
import { WsSink } from './ws-sink.ts';

/** Clients send nothing but pings. */
const MESSAGE_MAX_BYTES = 1024;
const SESSION = /^\/ws\/sessions\/([^/?]+)(?:\?|$)/;
const HINTS = /^\/ws\/events(?:\?|$)/;
/** `pings`: also send pings as text frames. */
const HintQuery = linkQuery.extend({ pings: flagIn.optional() });
const SessionQuery = HintQuery.extend({
  after: streamEndpoints.sessionEvents.query.shape.after,
});

/** A WebSocket to something that lives on the host of its session (X7), such as a terminal. */
export interface HostBoundSocket {
  /** Of the path; its first group is the id of the session. */
  readonly path: RegExp;
  readonly needs: Right;
  /** Accepts the upgrade on the right host. Throwing refuses it. */
  open(call: { by: Principal; sessionId: string } & UpgradeRequest): Promise<void>;
}

/**
 * `WS /ws/sessions/{id}?after=N`, the stream of a session, and `WS /ws/events`, the hints. Pages
 * use them because a browser allows only six ordinary connections per host, across all its tabs.
 */
export function acceptWebSockets(
  api: Api,
  streams: OpenStreams,
  auth: RequestAuthenticator,
  hostBound: readonly HostBoundSocket[],
  metrics?: StreamMetrics,
): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    // Automatic pongs would pile up for a client that pings but does not read.
    autoPong: false,
  });

  const open = async (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    requestId: string,
  ): Promise<void> => {
    const { headers, rawHeaders } = request;
    const fromNode = isForwarded(request);
    if (!fromNode) auth.site.checkHost(request);
    const address = auth.addressOf(request);
    const url = request.url ?? '';
    const from = { headers, rawHeaders, url, address, requestId, socket };
    const asking = { ...from, method: 'GET', upgrade: true, ticket: ticketOfUrl(url) };
    const known = await auth.authenticate(asking);
    if (known === null) throw new BatonError('unauthorized');
    const { by } = known;
    for (const route of hostBound) {
      const id = route.path.exec(url)?.[1];
      if (id === undefined) continue;
      requireRight(by, route.needs);
      const sessionId = parseInput(streamEndpoints.sessionEvents.params.shape.id, id, 'id');
      // A forwarded one is counted, and ends with its credential, on the node that forwarded it.
      if (!fromNode) limitSocket(streams, by, socket);
      const host = await api.hostElsewhere(by, sessionId, fromNode);
      const asked = { request, socket, head };
      if (host !== null) return tunnel(api.forwarder as Forwarder, host, by, asked);
      if (!(api.servesApi || fromNode)) throw notServed();
      return route.open({ by, sessionId, ...asked });
    }
    if (fromNode) throw new BatonError('misdirected');
    if (!api.servesApi) throw notServed();
    const upgrade = async (pings: boolean | undefined): Promise<WsSink> => {
      // If the socket closed while the stream was being set up, `close` is not emitted again.
      if (socket.destroyed) throw new BatonError('invalid_request');
      const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
      // For an invalid handshake, `handleUpgrade` destroys the socket and does not call back.
      socket.once('close', () => reject(new BatonError('invalid_request')));
      server.handleUpgrade(request, socket, head, resolve);
      return new WsSink(await promise, socket, streams.limits, pings);
    };
    if (HINTS.test(url)) {
      requireRight(by, streamEndpoints.hints.needs);
      const { pings } = parseInput(HintQuery, parseQuery(url));
      return followHints(api.sessions(), streams, by, () => upgrade(pings));
    }
    requireRight(by, streamEndpoints.sessionEvents.needs);
    const id = SESSION.exec(url)?.[1];
    if (id === undefined) throw new BatonError('not_found');
    const { after = 0, pings } = parseInput(SessionQuery, parseQuery(url));
    const sessionId = parseInput(streamEndpoints.sessionEvents.params.shape.id, id, 'id');
    const service = api.sessions();
    const target = await service.sessionLog(by, sessionId);
    checkCursor(target, after);
    await followLog(service, streams, 'ws', { by, target, after }, () => upgrade(pings));
  };

  api.app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A connection that breaks during the upgrade must not crash the process.
    socket.on('error', () => {});
    const requestId = crypto.randomUUID();
    open(request, socket, head, requestId).catch((thrown: unknown) => {
      const error = toBatonError(thrown);
      metrics?.refused?.(error.code);
      if (error.status === 500) api.app.log.error({ err: thrown, requestId }, 'A request failed');
      refuse(socket, error, requestId);
    });
  });
}

/** Counts a WebSocket that is not a stream of its own kind, and ends it with its credential. */
function limitSocket(streams: OpenStreams, by: Principal, socket: Duplex): void {
  whenClosed(socket, streams.enter(by.userId));
  whenClosed(
    socket,
    streams.watch(isStillValid(streams.authenticator, by), () => socket.destroy()),
  );
}

function refuse(socket: Duplex, error: BatonError, requestId: string): void {
  if (socket.destroyed || !socket.writable) return;
  const retryAfter = retryAfterOf(error);
  const body = JSON.stringify(envelope(error, requestId));
  endWith(
    socket,
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      ...(error.status === 401 ? ['WWW-Authenticate: Bearer'] : []),
      ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
