import { Validator } from '@seriousme/openapi-schema-validator';
import type { FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { appRig } from '../../../test/support/app-rig.ts';
import { endpointList } from '../../contract/api/endpoints.ts';
import type { AppOptions } from '../app.ts';
import { refuseAll } from '../request-authenticator.ts';
import { PAGES } from '../sign-in/pages.ts';
import { registerStreams } from '../streams/register.ts';
import { openApiDocument } from './document.ts';

const streams: Pick<AppOptions, 'routes'> = {
  routes: [(api, services) => void registerStreams(api, services, { auth: refuseAll })],
};

test('[H7] the OpenAPI document is valid, and the server returns it', async () => {
  const answer = await appRig().get('/api/v1/openapi.json');
  expect(answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  expect(await new Validator().validate(answer.json())).toEqual({ valid: true });
});

test('[H7] every registered route is described or a page, and every described one is registered', async () => {
  const { app } = appRig(streams);
  await app.ready();
  const described = Object.entries(openApiDocument().paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const pages = PAGES.map(({ method, path }) => `${method} ${path}`);
  expect(registered(app)).toEqual([...described, ...pages].sort());
});

test('[H7] every reference resolves, and every named schema is used', () => {
  const text = JSON.stringify(openApiDocument());
  const named = Object.keys(openApiDocument().components.schemas);
  const used = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(used)].sort()).toEqual(named.sort());
});

test('examples match their schemas', () => {
  const shown = endpointList.filter(([, { example }]) => example !== undefined);
  for (const [name, { body, example }] of shown) {
    expect([name, body.safeParse(example).error]).toEqual([name, undefined]);
  }
  expect(shown.length).toBeGreaterThan(3);
});

test('request schemas are closed, and response schemas allow more fields', () => {
  const { schemas } = openApiDocument().components;
  expect(schemas['CreateSession']).toMatchObject({ additionalProperties: false });
  expect(schemas['Session']).not.toHaveProperty('additionalProperties');
});

test('a query field is described by its meaning', () => {
  const [list] = endpointList.filter(([name]) => name === 'listSessions');
  const { parameters } = openApiDocument().paths[list?.[1].path ?? '']?.['get'] ?? {};
  expect(parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: expect.any(String),
    schema: { type: 'integer', minimum: 1, maximum: 200 },
  });
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'archived', schema: { type: 'boolean' } }),
  );
});

/** Every route of the router as `GET /a/{b}`, read from the tree it prints. */
function registered(app: FastifyInstance): string[] {
  const routes: string[] = [];
  const above: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods] =
      /^(.*?)[├└]── (\S*?)(?: \((.*)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    above.length = depth;
    above[depth] = part;
    for (const method of methods?.split(', ') ?? []) {
      if (method !== 'HEAD') routes.push(`${method} ${above.join('').replace(/:(\w+)/g, '{$1}')}`);
    }
  }
  return routes.sort();
}
