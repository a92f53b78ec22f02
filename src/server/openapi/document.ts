import { endpointList } from '../../contract/api/endpoints.ts';
import { STATUS_PATH, STATUS_REFUSAL } from '../routes/session-status.ts';
import { describeOperation } from './operation.ts';
import { describeSchemas } from './schemas.ts';

export type OpenApi = ReturnType<typeof makeDocument>;

let cached: OpenApi | undefined;

/** The API as OpenAPI 3.1; built on first use. */
export function openApiDocument(): OpenApi {
  cached ??= makeDocument();
  return cached;
}

function makeDocument() {
  const schemas = describeSchemas();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, endpoint] of endpointList) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Record<string, Operation>)[endpoint.method.toLowerCase()] =
      describeOperation(name, endpoint, schemas);
  }
  addSpecial(paths);
  paths[STATUS_PATH] = { put: STATUS_OPERATION };
  return {
    openapi: '3.1.1',
    info: { title: 'Baton', version: '1', description: INTRODUCTION },
    security: [{ bearer: [] }],
    tags: [...new Set(endpointList.map(([, { group }]) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** Responses that no other operation has. */
function addSpecial(paths: Record<string, Record<string, Operation>>): void {
  const ready = paths['/readyz']?.['get']?.responses ?? {};
  ready[503] = { ...ready[200], description: 'Not ready; `checks` says why.' };
  for (const path of ['/api/v1/runs/{id}/events', '/api/runs/{id}/events']) {
    const events = paths[path]?.['get']?.responses ?? {};
    events[204] = { description: 'The run has ended, and there are no events after the cursor.' };
  }
}

export type Operation = ReturnType<typeof describeOperation>;

const INTRODUCTION =
  'Runs coding agents and never drops a session. Times are in RFC 3339 format, in UTC. ' +
  'Requests with unknown fields are refused; later versions may add fields to responses. ' +
  'A failed request changes nothing. ' +
  'Session lists are arrays with `X-Next-Cursor`; other lists have `items` and `nextCursor`.';

/** The one operation that is always refused (S2). */
const STATUS_OPERATION: Operation = {
  operationId: 'setStatus',
  summary: 'Refused: status is managed by the system',
  tags: ['Sessions'],
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  responses: {
    403: {
      description:
        'Always returned. Use the actions instead: complete, terminate, reopen, archive, retry.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { error: { type: 'string' }, message: { type: 'string' } },
            required: ['error', 'message'],
          },
          example: STATUS_REFUSAL,
        },
      },
    },
  },
};
