import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint } from '../contract/api/endpoint.ts';
import { BatonError } from '../contract/errors.ts';
import { IdempotencyKey } from '../contract/values/ids.ts';
import { parseInput } from '../queue/parse-input.ts';
import { refuseText } from './plain-json.ts';
import { parseQuery } from './query-string.ts';

/** The input of a request, parsed with the schemas of its endpoint. */
export interface Input<E extends Endpoint> {
  readonly params: z.output<E['params']>;
  readonly query: z.output<E['query']>;
  readonly body: z.output<E['body']>;
  readonly idempotencyKey: string | null;
}

/** Parses the input of a request; throws on the first mistake, naming its field. */
export function readInput<E extends Endpoint>(endpoint: E, request: FastifyRequest): Input<E> {
  return {
    params: parseInput(endpoint.params, readParams(request)) as z.output<E['params']>,
    query: parseInput(endpoint.query, parseQuery(request.url)) as z.output<E['query']>,
    body: readBody(endpoint, request.body) as z.output<E['body']>,
    idempotencyKey: endpoint.idempotent ? readKey(request) : null,
  };
}

function readParams(request: FastifyRequest): unknown {
  const params = { ...(request.params as Record<string, string>) };
  for (const [name, value] of Object.entries(params)) refuseText(value, [name]);
  return params;
}

function readBody(endpoint: Endpoint, body: unknown): unknown {
  const takesBody = !(endpoint.body instanceof z.ZodUndefined);
  if (takesBody && body === undefined) throw refused('body', 'This operation needs a JSON body.');
  // Some clients always send an object, so an empty object is accepted.
  if (!takesBody && !isEmpty(body)) throw refused('body', 'This operation does not accept a body.');
  return takesBody ? parseInput(endpoint.body, body) : undefined;
}

const isEmpty = (body: unknown): boolean =>
  body === undefined ||
  body === null ||
  (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0);

const VISIBLE = /^[\x21-\x7e]+$/;

function readKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !VISIBLE.test(key)) {
    throw refused(
      'Idempotency-Key',
      'Idempotency-Key: must be 1 to 200 visible ASCII characters, given once',
    );
  }
  return parseInput(IdempotencyKey, key, 'Idempotency-Key');
}

const refused = (field: string, message: string): BatonError =>
  new BatonError('invalid_request', message, { details: { field } });
