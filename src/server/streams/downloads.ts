import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { OpenStreams } from './open-streams.ts';

/*
 * A download that nobody reads holds as much memory as a stream that nobody reads, so it has the same
 * limits: it counts towards the streams of its user (H9), and ends when its reader takes nothing (E4).
 */

/** Holds every route that the contract calls a download to it. */
export function limitDownloads(app: FastifyInstance, streams: OpenStreams): void {
  app.addHook('preHandler', async ({ principal, routeOptions }, reply) => {
    if (principal === null || routeOptions.config.download !== true) return;
    limitDownload(streams, principal, reply);
  });
}

/** Throws `too_many_streams`. */
export function limitDownload(
  streams: OpenStreams,
  { userId }: Principal,
  { raw }: FastifyReply,
): void {
  raw.once('close', streams.enter(userId));
  // The socket counts every byte that goes out; the next request on it begins without the limit.
  raw.setTimeout(streams.limits.stallMs, () => {
    // With nothing left to take, the database is slow, not the reader.
    if (raw.writableLength > 0) raw.destroy();
  });
}
