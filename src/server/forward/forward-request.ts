import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { HostRef } from '../../sessions/host-store.ts';
import { whenClosed } from '../limits/when-closed.ts';
import { EMPTY } from './forwarded-body.ts';
import type { Forwarder } from './forwarder.ts';

/** Passed on to the caller. Cookies are not, nor what describes the connection to the destination. */
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

/** The answer of the other host, as that of this request. It ends when the caller leaves. */
export async function forwardRequest(
  forwarder: Forwarder,
  host: HostRef,
  { by, request, reply }: { by: Principal; request: FastifyRequest; reply: FastifyReply },
): Promise<IncomingMessage> {
  const { method, url, headers, rawBody = EMPTY } = request;
  const left = new AbortController();
  let answer: IncomingMessage | undefined;
  whenClosed(reply.raw, () => {
    // The connection to the node is free for other requests once the answer is complete.
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
