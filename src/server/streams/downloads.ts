import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { OpenStreams } from './open-streams.ts';

/*
 * A long answer that nobody reads holds as much memory as a stream that nobody reads, so it has the same
 * limits: it counts towards the streams of its user (H9), and ends when its reader takes nothing (E4).
 */

/** Shorter answers fit into the buffers of the system. */
const LONG = 64 * 1024;
/** How often to check whether a reader has taken anything. */
const CHECK_MS = 1000;

const limited = new WeakSet<ServerResponse>();

/** Limits every route that the contract calls a download, and every other long answer. */
export function limitDownloads(app: FastifyInstance, streams: OpenStreams): void {
  app.addHook('preHandler', async ({ principal, routeOptions }, reply) => {
    if (routeOptions.config.download === true) limitDownload(streams, principal, reply);
  });
  app.addHook('onSend', async ({ principal }, reply, payload) => {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    if (payload.length <= LONG) return payload;
    limitDownload(streams, principal, reply);
    const bytes = Buffer.from(payload);
    reply.header('content-length', bytes.length);
    return Readable.from(piecesOf(bytes));
  });
}

/** Throws `too_many_streams`. */
export function limitDownload(
  streams: OpenStreams,
  principal: Principal | null,
  { raw }: FastifyReply,
): void {
  if (limited.has(raw)) return;
  limited.add(raw);
  if (principal !== null) raw.once('close', streams.enter(principal.userId));
  endUnread(raw, streams.limits.stallMs);
}

/** Only what is written in pieces shows how much of it was taken. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += LONG) yield bytes.subarray(at, at + LONG);
}

/**
 * Not by the time-out of the socket: whatever the reader sends restarts that, and so it could hold an
 * answer for ever.
 */
function endUnread(raw: ServerResponse, stallMs: number): void {
  let written: number | undefined;
  let since = performance.now();
  const check = (): void => {
    const before = written;
    written = raw.socket?.bytesWritten;
    // With nothing left to take, the database is slow, not the reader.
    if (written !== before || raw.writableLength === 0) since = performance.now();
    // It may have no socket yet, because it waits behind a stream on its connection.
    else if (performance.now() - since >= stallMs) raw.req.socket.destroy();
  };
  const timer = setInterval(check, Math.min(CHECK_MS, stallMs));
  raw.once('close', () => clearInterval(timer));
}
