import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { OpenStreams } from './open-streams.ts';

/*
 * A download that nobody reads holds as much memory as a stream that nobody reads, so it has the same
 * limits: it counts towards the streams of its user (H9), and ends when its reader takes nothing (E4).
 * The latter holds for every long answer.
 */

/** What is shorter lies in the buffers of the system. */
const LONG = 64 * 1024;

/** Holds every route that the contract calls a download to it. */
export function limitDownloads(app: FastifyInstance, streams: OpenStreams): void {
  app.addHook('preHandler', async ({ principal, routeOptions }, reply) => {
    if (principal === null || routeOptions.config.download !== true) return;
    limitDownload(streams, principal, reply);
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (typeof payload === 'string' && payload.length > LONG) endUnread(streams, reply);
    return payload;
  });
}

/** Throws `too_many_streams`. */
export function limitDownload(
  streams: OpenStreams,
  { userId }: Principal,
  reply: FastifyReply,
): void {
  reply.raw.once('close', streams.enter(userId));
  endUnread(streams, reply);
}

function endUnread(streams: OpenStreams, { raw }: FastifyReply): void {
  // The socket counts every byte that goes out; the next request on it begins without the limit.
  raw.setTimeout(streams.limits.stallMs, () => {
    // With nothing left to take, the database is slow, not the reader.
    if (raw.writableLength > 0) raw.destroy();
  });
}
