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
import type { LogService } from '../../sessions/logs/log-service.ts';
import { endWith } from '../client-error.ts';
import { envelope, retryAfterOf, toBatonError } from '../errors.ts';
import { PROOF_HEADER } from '../forward/credential.ts';
import type { Forwarder } from '../forward/forwarder.ts';
import { tunnel } from '../forward/tunnel.ts';
import { whenClosed } from '../limits/when-closed.ts';
import { parseQuery } from '../query-string.ts';
import { isForwarded, type RequestAuthenticator } from '../request-authenticator.ts';
import { type Api, notServed } from '../route.ts';
import { STATUS_CODES } from '../status-codes.ts';
import { ticketOfUrl } from '../url-ticket.ts';
import { checkCursor } from './cursor.ts';
import { followLog } from './follow-log.ts';
import { handshake } from './handshake.ts';
import { followHints } from './hint-stream.ts';
import type { OpenStreams, StreamMetrics } from './open-streams.ts';
import { canStillRead, type ReadCheck } from './read-check.ts';
import { WsSink } from './ws-sink.ts';

interface Services {
  readonly logs: LogService;
}

/** Clients send nothing but pings. */
const MESSAGE_MAX_BYTES = 1024;
const SESSION = /^\/ws\/sessions\/([^/?]+)(?:\?|$)/;
const HINTS = /^\/ws\/events(?:\?|$)/;
/** `pings`: also send pings as text frames. */
const HintQuery = linkQuery.extend({ pings: flagIn.optional() });
const SessionQuery = HintQuery.extend({
  after: streamEndpoints.sessionEvents.query.shape.after,
});

/** A WebSocket to something that exists only on its session's host (X7), such as a terminal. */
export interface HostBoundSocket {
  /** Matches the path; its first group is the session id. */
  readonly path: RegExp;
  readonly needs: Right;
  /** Called on the right host; accepts with `upgrade` and refuses by throwing. */
  open(call: {
    readonly by: Principal;
    readonly sessionId: string;
    readonly request: IncomingMessage;
    /** Completes the handshake. Rejects if it is invalid or the socket has closed. */
    readonly upgrade: (server: WebSocketServer) => Promise<WebSocket>;
  }): Promise<void>;
}

/**
 * `WS /ws/sessions/{id}?after=N`, the stream of a session, and `WS /ws/events`, the hints. Pages
 * use them because a browser allows only six ordinary connections per host, across all its tabs.
 */
export function acceptWebSockets(
  api: Api,
  services: () => Services,
  streams: OpenStreams,
  auth: RequestAuthenticator,
  hostBound: readonly HostBoundSocket[],
  metrics?: StreamMetrics,
): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_MAX_BYTES,
    // Fragments are not counted as frames until their message is complete; a page sends none.
    maxFragments: 16,
    perMessageDeflate: false,
    // Automatic pongs would pile up for a client that pings but does not read.
    autoPong: false,
  });

  const open = async (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    requestId: string,
    proof: string | null,
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
    const asked = { request, socket, head };
    for (const route of hostBound) {
      const id = route.path.exec(url)?.[1];
      if (id === undefined) continue;
      requireRight(by, route.needs);
      const sessionId = parseInput(streamEndpoints.sessionEvents.params.shape.id, id, 'id');
      streams.holdHostBound(socket);
      // A forwarded WebSocket is counted on the node that forwarded it, which also closes it if its
      // user loses access.
      if (!fromNode) {
        const { authenticator } = streams;
        const readCheck = canStillRead(authenticator, services().logs, by, sessionId, route.needs);
        limitSocket(streams, by, socket, readCheck);
      }
      const host = await api.hostElsewhere(by, sessionId, fromNode);
      if (host !== null) return tunnel(api.forwarder as Forwarder, host, by, asked);
      if (!(api.servesApi || fromNode)) throw notServed();
      const upgrade = (acceptor: WebSocketServer) => handshake(acceptor, asked, proof);
      return route.open({ by, sessionId, request, upgrade });
    }
    if (fromNode) throw new BatonError('misdirected');
    if (!api.servesApi) throw notServed();
    const upgrade = async (pings: boolean | undefined): Promise<WsSink> =>
      new WsSink(await handshake(server, asked, proof), socket, streams.limits, pings);
    if (HINTS.test(url)) {
      requireRight(by, streamEndpoints.hints.needs);
      const { pings } = parseInput(HintQuery, parseQuery(url));
      return followHints(services().logs, streams, by, () => upgrade(pings));
    }
    requireRight(by, streamEndpoints.sessionEvents.needs);
    const id = SESSION.exec(url)?.[1];
    if (id === undefined) throw new BatonError('not_found');
    const { after = 0, pings } = parseInput(SessionQuery, parseQuery(url));
    const sessionId = parseInput(streamEndpoints.sessionEvents.params.shape.id, id, 'id');
    const { logs } = services();
    const target = await logs.ofSession(by, sessionId);
    checkCursor(target, after);
    await followLog(logs, streams, 'ws', { by, target, after }, () => upgrade(pings));
  };

  api.app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A connection that breaks during the upgrade must not crash the process.
    socket.on('error', () => {});
    const requestId = crypto.randomUUID();
    const { headers, url = '' } = request;
    const proof = auth.proofFor({ headers, method: 'GET', url });
    open(request, socket, head, requestId, proof).catch((thrown: unknown) => {
      const error = toBatonError(thrown);
      metrics?.refused?.(error.code);
      if (error.status === 500) api.app.log.error({ err: thrown, requestId }, 'A request failed');
      refuse(socket, error, requestId, proof);
    });
  });
}

/** Counts a host-bound WebSocket as a stream, and ends it when its user loses access. */
function limitSocket(
  streams: OpenStreams,
  { userId }: Principal,
  socket: Duplex,
  readCheck: ReadCheck,
): void {
  whenClosed(socket, streams.enter(userId));
  whenClosed(
    socket,
    streams.watch(readCheck, () => socket.destroy()),
  );
}

function refuse(socket: Duplex, error: BatonError, requestId: string, proof: string | null): void {
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
      ...(proof === null ? [] : [`${PROOF_HEADER}: ${proof}`]),
      ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
