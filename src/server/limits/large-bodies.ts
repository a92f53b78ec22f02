import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BatonError } from '../../contract/errors.ts';
import { Slots } from './slots.ts';
import { whenClosed } from './when-closed.ts';

/** Bodies up to this size are not counted. */
const SMALL_BYTES = 1024 * 1024;

/** A message with 26 MiB of attachments takes up about 140 MB of memory until it is stored. */
const PER_USER = 4;
const PER_NODE = 16;

/** Limits how many large bodies are read and handled at once; throws `rate_limited`. */
export function limitLargeBodies(app: FastifyInstance): void {
  const [users, node] = [new Slots(PER_USER), new Slots(PER_NODE)];
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!mayBeLarge(request)) return payload;
    whenClosed(reply.raw, enter(users, request.principal?.userId ?? ''));
    whenClosed(reply.raw, enter(node, ''));
    return payload;
  });
}

function enter(slots: Slots, key: string): () => void {
  const release = slots.enter(key);
  if (release !== null) return release;
  throw new BatonError(
    'rate_limited',
    'Too many large requests are being received. Try again later.',
  );
}

/** A body of unknown length counts as large where large bodies are allowed. */
function mayBeLarge({ headers, routeOptions }: FastifyRequest): boolean {
  if ((routeOptions.bodyLimit ?? 0) <= SMALL_BYTES) return false;
  const length = headers['content-length'];
  return length === undefined
    ? headers['transfer-encoding'] !== undefined
    : Number(length) > SMALL_BYTES;
}
