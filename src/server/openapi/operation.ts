import { z } from 'zod';
import type { Endpoint } from '../../contract/api/endpoint.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { STATUS_CODES } from '../status-codes.ts';
import { describeField, type JsonSchema, type Schemas } from './schemas.ts';

const ERROR = { $ref: '#/components/schemas/Error' };

/** One endpoint as an OpenAPI operation. */
export function describeOperation(name: string, endpoint: Endpoint, schemas: Schemas) {
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.group],
    ...(endpoint.open ? { security: [] } : {}),
    parameters: parametersOf(endpoint),
    ...bodyOf(endpoint, schemas),
    responses: { ...resultOf(endpoint, schemas), ...errorsOf(endpoint) },
  };
}

function parametersOf({ params, query, idempotent }: Endpoint): object[] {
  return [
    ...fields('path', params),
    ...fields('query', query),
    ...(idempotent ? [IDEMPOTENCY_KEY] : []),
  ];
}

function fields(location: 'path' | 'query', { shape }: z.ZodObject): object[] {
  return Object.entries(shape).map(([name, field]) => {
    const { description, ...schema } = describeField(field as z.ZodType);
    const required = location === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: location, required, ...(description ? { description } : {}), schema };
  });
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Repeating a key in a session returns the same run; with a different body, the request is refused.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
};

function bodyOf({ body, example }: Endpoint, schemas: Schemas): object {
  if (body instanceof z.ZodUndefined) return {};
  const content = { schema: schemas.request(body), ...(example === undefined ? {} : { example }) };
  return { requestBody: { required: true, content: { 'application/json': content } } };
}

function resultOf(endpoint: Endpoint, schemas: Schemas): Record<string, object> {
  const description = STATUS_CODES[endpoint.status] ?? '';
  if (endpoint.answer instanceof z.ZodUndefined) return { [endpoint.status]: { description } };
  const result = {
    description,
    ...(endpoint.paged ? { headers: NEXT_CURSOR } : {}),
    content: contentOf(endpoint, schemas.answer(endpoint.answer), schemas),
  };
  return { [endpoint.status]: result };
}

const NEXT_CURSOR = {
  'X-Next-Cursor': {
    description: 'The `cursor` of the next page; absent on the last page.',
    schema: { type: 'string' },
  },
};

function contentOf(endpoint: Endpoint, answer: JsonSchema, schemas: Schemas): object {
  const { format, item } = endpoint;
  if (format === 'json') return { 'application/json': { schema: answer } };
  if (format === 'text') return { 'text/plain': { schema: answer } };
  if (format === 'html') return { 'text/html': { schema: answer } };
  const each = item === undefined ? {} : schemas.answer(item);
  if (format === 'ndjson') return { 'application/x-ndjson': { schema: each } };
  // The schema describes the data of one event.
  const stream = { 'text/event-stream': { schema: each } };
  return item === endpoint.answer ? stream : { ...stream, 'application/json': { schema: answer } };
}

/** The errors that this operation may return, sorted by status. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const { params, query, body } = endpoint;
  const hasBody = !(body instanceof z.ZodUndefined);
  const hasFields = Object.keys(params.shape).length + Object.keys(query.shape).length > 0;
  const codes: ErrorCode[] = [
    ...(hasBody || hasFields ? (['invalid_request'] as const) : []),
    ...(endpoint.open ? [] : (['unauthorized', 'forbidden', 'rate_limited'] as const)),
    ...(hasBody ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(endpoint.open ? [] : (['database_unreachable'] as const)),
    'internal',
    ...endpoint.errors,
  ];
  return [...new Set(codes)].sort((a, b) => ERRORS[a][0] - ERRORS[b][0]);
}

function errorsOf(endpoint: Endpoint): Record<string, object> {
  const byStatus = Map.groupBy(errorCodesOf(endpoint), (code) => ERRORS[code][0]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join('\n\n'),
        content: { 'application/json': { schema: ERROR } },
      },
    ]),
  );
}
