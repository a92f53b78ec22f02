import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';
import { whenClosed } from '../limits/when-closed.ts';
import type { Api } from '../route.ts';
import type { OpenStreams } from './open-streams.ts';
import { canStillRead, isStillValid, type ReadCheck } from './read-check.ts';
import { UnreadResponses } from './unread-responses.ts';

interface Services {
  readonly logs: LogService;
}

/*
 * A long response that nobody reads holds as much memory as a stream that nobody reads, so it has
 * the same limits: it counts as one of its user's streams (H9), and ends if its reader stops
 * reading (E4). The second limit also applies to short responses, because many of them add up.
 */

/** Shorter responses fit in the operating system's buffers. */
const LONG = 64 * 1024;

/** How soon to check again whether a response has started. */
const BEGIN_MS = 50;

const limited = new WeakSet<ServerResponse>();

/** Limits every route that the contract marks as a download, and every other long response. */
export function limitDownloads({ app }: Api, services: () => Services, streams: OpenStreams): void {
  const limit = (request: FastifyRequest, reply: FastifyReply): void => {
    const by = countedFor(request);
    if (by !== null) limitDownload(streams, by, reply, readCheckOf(services, streams, by, request));
  };
  const unread = new UnreadResponses(streams.limits.stallMs);
  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.download === true) limit(request, reply);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    unread.watch(reply.raw);
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    if (payload.length <= LONG) return payload;
    limit(request, reply);
    // Bytes are not copied: thousands of responses may share one file of the web app.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    reply.header('content-length', bytes.length);
    return Readable.from(piecesOf(bytes));
  });
}

/**
 * A forwarded request is counted on the node that forwarded it, which also aborts it if its reader
 * loses access.
 */
const countedFor = ({ principal, forwarded }: FastifyRequest): Principal | null =>
  forwarded === null ? principal : null;

/** What a host-bound route serves belongs to the session in its path. */
function readCheckOf(
  services: () => Services,
  { authenticator }: OpenStreams,
  by: Principal,
  { params, routeOptions }: FastifyRequest,
): ReadCheck {
  const { hostBound = false, needs } = routeOptions.config;
  if (!hostBound) return isStillValid(authenticator, by);
  const { id } = params as { id: string };
  return canStillRead(authenticator, services().logs, by, id, needs ?? 'read');
}

/** Like a stream, a download ends when its reader loses access. Throws `too_many_streams`. */
export function limitDownload(
  streams: OpenStreams,
  principal: Principal,
  { raw }: FastifyReply,
  readCheck: ReadCheck,
): void {
  if (limited.has(raw)) return;
  limited.add(raw);
  const leave = streams.enter(principal.userId);
  const refuse = (): void => {
    if (raw.writableEnded || raw.destroyed) return;
    // Until the response begins, the route may still refuse, and the reader must get that refusal.
    if (raw.headersSent) raw.destroy();
    else setTimeout(refuse, BEGIN_MS).unref();
  };
  const unwatch = streams.watch(readCheck, refuse);
  whenClosed(raw, () => {
    unwatch();
    leave();
  });
}

/** Splits the bytes into pieces; otherwise the socket does not show how much has been read. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += LONG) yield bytes.subarray(at, at + LONG);
}
