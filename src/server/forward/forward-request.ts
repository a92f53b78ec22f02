import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { HostRef } from '../../sessions/host-store.ts';
import { whenClosed } from '../limits/when-closed.ts';
import { EMPTY } from './forwarded-body.ts';
import type { Forwarder } from './forwarder.ts';

/**
 * The response headers that are passed on to the caller. Cookies are left out, and so is anything
 * that describes the connection to the destination.
 */
const PASSED = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'retry-after',
  'x-next-cursor',
];

/**
 * Returns the other host's response and copies its status and headers to the reply. Aborts the
 * forwarded request if the caller disconnects.
 */
export async function forwardRequest(
  forwarder: Forwarder,
  host: HostRef,
  { by, request, reply }: { by: Principal; request: FastifyRequest; reply: FastifyReply },
): Promise<IncomingMessage> {
  const { method, url, headers, rawBody = EMPTY } = request;
  const left = new AbortController();
  let answer: IncomingMessage | undefined;
  whenClosed(reply.raw, () => {
    // Once the response is complete, the connection to the node can be used for other requests.
    if (answer?.complete !== true) left.abort();
  });
  const forwarded = { method, url, headers, body: rawBody, by, signal: left.signal };
  ({ answer } = await forwarder.forward(host, forwarded));
  reply.code(answer.statusCode ?? 502).removeHeader('content-type');
  for (const name of PASSED) {
    const value = answer.headers[name];
    if (value !== undefined) reply.header(name, value);
  }
  return answer;
}
