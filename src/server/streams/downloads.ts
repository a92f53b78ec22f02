import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import { whenClosed } from '../limits/when-closed.ts';
import type { OpenStreams } from './open-streams.ts';
import { isStillValid } from './read-check.ts';
import { UnreadResponses } from './unread-responses.ts';

/*
 * A long response that nobody reads holds as much memory as a stream that nobody reads, so it has
 * the same limits: it counts as one of its user's streams (H9), and ends if its reader stops
 * reading (E4). The latter also applies to short responses, because many of them add up.
 */

/** Shorter responses fit in the operating system's buffers. */
const LONG = 64 * 1024;

const limited = new WeakSet<ServerResponse>();

/** Limits every route that the contract marks as a download, and every other long response. */
export function limitDownloads(app: FastifyInstance, streams: OpenStreams): void {
  const unread = new UnreadResponses(streams.limits.stallMs);
  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.download === true) {
      limitDownload(streams, countedFor(request), reply);
    }
  });
  app.addHook('onSend', async (request, reply, payload) => {
    unread.watch(reply.raw);
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    if (payload.length <= LONG) return payload;
    limitDownload(streams, countedFor(request), reply);
    // Bytes are not copied: thousands of responses may share one file of the web app.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    reply.header('content-length', bytes.length);
    return Readable.from(piecesOf(bytes));
  });
}

/** A forwarded request is counted, and ends with its credential, on the node that forwarded it. */
const countedFor = ({ principal, forwarded }: FastifyRequest): Principal | null =>
  forwarded === null ? principal : null;

/** Ends with the reader's credential, as a stream does. Throws `too_many_streams`. */
export function limitDownload(
  streams: OpenStreams,
  principal: Principal | null,
  { raw }: FastifyReply,
): void {
  if (limited.has(raw)) return;
  limited.add(raw);
  if (principal === null) return;
  const leave = streams.enter(principal.userId);
  const unwatch = streams.watch(isStillValid(streams.authenticator, principal), () =>
    raw.destroy(),
  );
  whenClosed(raw, () => {
    unwatch();
    leave();
  });
}

/** Splits the bytes, because only then does the socket show how much the reader has taken. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += LONG) yield bytes.subarray(at, at + LONG);
}
