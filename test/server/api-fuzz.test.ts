import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { endpointList } from '../../src/contract/api/endpoints.ts';
import { ErrorAnswer } from '../../src/contract/api/error-answer.ts';
import { PAGE_KEY_HEADER } from '../../src/contract/page-key.ts';
import { CreateSession } from '../../src/contract/session.ts';
import { newId } from '../../src/contract/values/ids.ts';
import { type Composed, compose } from '../../src/node/compose.ts';
import { createMasker } from '../../src/policy/masking/masking.ts';
import { SILENT } from '../../src/queue/logger.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import { openApiDocument } from '../../src/server/openapi/document.ts';
import {
  describeField,
  describeSchemas,
  type JsonSchema,
} from '../../src/server/openapi/schemas.ts';
import { refuseAll, requestAuthenticator } from '../../src/server/request-authenticator.ts';
import { registerStreams } from '../../src/server/streams/register.ts';
import { directoryArtefacts } from '../../src/workspaces/artefacts.ts';
import { fitting, nearly } from '../fuzz/arbitrary.ts';
import { hostileText, hostileValue } from '../fuzz/hostile.ts';
import { appRig, TOKEN } from '../support/app-rig.ts';
import { ask as askIn, park } from '../support/asking.ts';
import { authenticatorOver, FROM } from '../support/authenticator-rig.ts';
import { DEPTH } from '../support/depth.ts';
import { authorised, type Person } from '../support/principals.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { testStore } from '../support/sqlite.ts';

const ADMIN = authorised({ userId: 'admin', role: 'admin', channel: 'api' });
/** Requests per endpoint; fewer if another endpoint has the same schemas. */
const REQUESTS = 40 * DEPTH;
const REQUESTS_ALIKE = 20 * DEPTH;
/** There are many requests, and a busy machine is slow. */
const PATIENCE_MS = 120_000;

/** The whole API over real sessions; only requests write to the store. */
async function rig() {
  const dataDir = temporaryDirectory();
  const path = join(dataDir, 'baton.db');
  const store = await testStore({ path });
  const { services, queue } = compose({
    store,
    publicUrl: 'http://localhost',
    dataDir,
    installation: 'test',
    masker: createMasker(),
    box: aesBox(Buffer.alloc(32)),
    log: SILENT,
    executes: false,
    environment: {},
    host: 'here',
    worker: {},
  });
  onTestFinished(async () => {
    await queue.close();
    await store.close();
  });
  const failures: unknown[] = [];
  const log = pino(
    { level: 'error' },
    { write: (line: string) => failures.push(JSON.parse(line)) },
  );
  const authenticator = authenticatorOver(store, { adminToken: TOKEN });
  const { app, ask } = appRig({
    auth: requestAuthenticator(authenticator),
    services: () => services,
    log,
    routes: [(api, services) => void registerStreams(api, services, { auth: refuseAll })],
  });

  const signedIn = await authenticator.signIn({ token: TOKEN }, FROM);
  const browser = {
    host: 'localhost',
    origin: 'http://localhost',
    cookie: `baton_session=${signedIn?.secret}`,
    [PAGE_KEY_HEADER]: String(signedIn?.pageKey),
  };
  /** For operations that tokens may not use. */
  const askAsBrowser: typeof ask = ({ headers, ...request }) =>
    app.inject({ ...request, headers: { ...browser, ...headers } });

  const reader = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => reader.close());
  const tables = reader
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => `SELECT * FROM "${name}"`);
  const selects = tables.map((select) => reader.prepare(select));
  // Changes after every commit of another connection.
  const version = reader.prepare('PRAGMA data_version');
  let seen = { version: -1, all: '' };
  /** Everything that is stored. */
  const stored = (): string => {
    const now = Number(version.get()?.['data_version']);
    if (now !== seen.version) {
      const rows = selects.map((select) => select.all());
      seen = { version: now, all: JSON.stringify(rows, plainNumbers) };
    }
    return seen.all;
  };

  // Sessions in which every operation can succeed somewhere.
  const create = async (name: string): Promise<string> => {
    const session = CreateSession.parse({ name, agent: { kind: 'shell' } });
    return (await services.sessions.create(ADMIN, session)).id;
  };
  const busy = await create('busy');
  for (const message of ['a', 'b', 'c', 'd']) {
    await services.messages.send(ADMIN, busy, { message, onBusy: 'enqueue' }, null);
  }
  const [first] = (await services.runs.list(ADMIN, { sessionId: busy })).items;
  await services.runs.cancel(ADMIN, first?.id ?? '');
  await store.changeSession(await create('ready'), { do: 'ready', path: '/tmp' });
  await store.changeSession(await create('failed'), { do: 'fail', error: 'no disk' });
  await services.sessions.act(ADMIN, await create('ended'), 'terminate');
  await queue.configure(await create('pinned'), { host: 'here' });
  // Parked, so there is no process: no worker here could stop it when its session is deleted.
  for (const name of ['asks', 'asks too', 'asks more']) {
    await park(store, await askIn(store, await create(name)));
  }
  await store.createUser({ id: newId(), name: 'hanako', role: 'operator' });
  for (const { id } of (await services.sessions.list(ADMIN, {})).items) {
    await directoryArtefacts({ dataDir }).keep(id, 'run', 'call', 'all of it');
  }
  await createOthers(services, busy);
  return { ask, askAsBrowser, stored, services, failures };
}

interface Service {
  create?(by: Person, body: unknown): Promise<unknown>;
  list?(by: Person, query: object): Promise<{ readonly items: readonly { readonly id: string }[] }>;
}

const serviceOf = (services: Composed['services'], noun: string): Service =>
  (services as unknown as Record<string, Service>)[noun] ?? services.sessions;

/** One of each noun that has none yet, as in the example of the operation that creates it. */
async function createOthers(services: Composed['services'], session: string): Promise<void> {
  for (const [, { method, path, body, example }] of endpointList) {
    const noun = /^\/api\/v1\/(\w+)$/.exec(path)?.[1];
    if (method !== 'POST' || noun === undefined || example === undefined) continue;
    const { create, list } = serviceOf(services, noun);
    if (create === undefined || (await list?.(ADMIN, {}))?.items.length !== 0) continue;
    await create(
      ADMIN,
      body.parse({ ...example, ...('sessionId' in (example as object) && { sessionId: session }) }),
    );
  }
}

const plainNumbers = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;

interface Asked {
  readonly params: Record<string, string>;
  readonly query: string;
  readonly body: string | undefined;
  readonly key: string | undefined;
  /** The index of an existing id, or the next one in turn; null uses the one in `params`. */
  readonly pick: number | 'next' | null;
}

const components = openApiDocument().components.schemas;
const schemas = describeSchemas();
const fields = ({ shape }: { shape: object }) =>
  Object.entries(shape).map(([name, field]) => [name, describeField(field)] as const);

/** Requests for an endpoint: valid ones, ones with a mistake, and nonsense. */
function requests(name: string, endpoint: Endpoint): fc.Arbitrary<Asked> {
  return fc.oneof(soundRequests(endpoint, POSSIBLE[name] ?? {}), oddRequests(endpoint));
}

const SHELL = { agent: { kind: 'shell' }, workspace: {}, isolation: 'auto' };
/** Fields with which most messages to a shell would be refused. */
const NARROWING = { attachments: undefined, allowedTools: undefined, disallowedTools: undefined };
/** Values that this version supports, where the schema alone does not say. */
const POSSIBLE: Record<string, object> = {
  createSession: SHELL,
  schedulerCreateSession: SHELL,
  webCreateSession: SHELL,
  sendMessage: NARROWING,
  // There is no worker; a session that is already on its host needs none.
  moveSession: { host: 'here' },
  schedulerSendMessage: { ...NARROWING, message: undefined, prompt: 'a', metadata: { user: 'b' } },
};

function soundRequests({ params, query, body }: Endpoint, possible: object): fc.Arbitrary<Asked> {
  const hasBody = !(body instanceof z.ZodUndefined);
  const values = (from: { shape: object }) =>
    Object.fromEntries(fields(from).map(([name, schema]) => [name, fitting(schema, components)]));
  return fc.record({
    params: fc.record(values(params), { noNullPrototype: true }).map(texts),
    query: fc
      .record(values(query), { requiredKeys: requiredOf(query), noNullPrototype: true })
      .map((given) => String(new URLSearchParams(texts(given)))),
    body: hasBody
      ? fitting(schemas.request(body), components).map((value) =>
          JSON.stringify({ ...(value as object), ...possible }),
        )
      : fc.constant(undefined),
    key: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    // Every id gets its turn, so the one that allows the operation is not missed by chance.
    pick: fc.constant('next' as const),
  });
}

function oddRequests({ params, query, body }: Endpoint): fc.Arbitrary<Asked> {
  const sound = fitting(schemas.request(body), components);
  const text = fc
    .oneof(sound, nearly(sound), nearly(sound), hostileValue)
    .map((value) => JSON.stringify(value));
  const odd = (schema: JsonSchema) =>
    fc.oneof(fitting(schema, components).map(String), hostileText);
  const parts = [
    fc.tuple(hostileText, hostileText).map(([name, value]) => `${encode(name)}=${value}`),
    ...fields(query).map(([name, schema]) =>
      odd(schema).map((value) => `${name}=${encode(value)}`),
    ),
  ];
  return fc.record({
    params: fc.record(
      Object.fromEntries(fields(params).map(([name, schema]) => [name, odd(schema)])),
    ),
    query: fc.array(fc.oneof(...parts), { maxLength: 2 }).map((all) => all.join('&')),
    body: fc.oneof(text, text, hostileText, fc.constant(undefined)),
    key: fc.option(hostileText, { nil: undefined }),
    pick: fc.option(fc.nat()),
  });
}

const texts = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

const requiredOf = ({ shape }: z.ZodObject): string[] =>
  Object.keys(shape).filter((name) => !(shape[name] as z.ZodType).safeParse(undefined).success);

const inPages = (query: string): string => `${query.replace(/follow=\w*/g, '')}&follow=false`;

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

/** The session id in a body. */
const SESSION_FIELD = /"(session_?id)":"[0-9a-f-]{36}"/i;

/** Existing values of path parameters other than ids. */
const KNOWN: Record<string, string> = { name: 'run-call.txt' };

/** Of endpoints with the same request schemas, only the first gets the full number of requests. */
const shapes = new Set<string>();
const COUNTS = new Map<string, number>();
for (const [name, { method, params, query, body }] of endpointList) {
  const shape = JSON.stringify([method, fields(params), fields(query), schemas.request(body)]);
  COUNTS.set(name, shapes.has(shape) ? REQUESTS_ALIKE : REQUESTS);
  shapes.add(shape);
}

// A stream would not end. Logs are requested in pages; these two have no other form.
const STREAMS_ONLY: readonly string[] = ['hints', 'webChat'];
test.each(endpointList.filter(([name]) => !STREAMS_ONLY.includes(name)))(
  '[H9] any request to %s gets a well-formed answer, never a 5xx, and a refusal writes nothing',
  async (name, endpoint) => {
    const { ask: askAsProgram, askAsBrowser, stored, services, failures } = await rig();
    const ask = name === 'createTicket' ? askAsBrowser : askAsProgram;
    const statuses = new Set<number>();

    let next = 0;
    const idOf = async (pick: number | 'next'): Promise<string> => {
      const known = await knownIds();
      const index = pick === 'next' ? next++ : pick;
      return known[index % Math.max(1, known.length)]?.id ?? 'none';
    };
    const knownIds = async (): Promise<readonly { readonly id: string }[]> => {
      const noun = /\/(\w+)\/\{id\}/.exec(endpoint.path)?.[1] ?? 'sessions';
      return (await serviceOf(services, noun).list?.(ADMIN, {}))?.items ?? [];
    };

    await fc.assert(
      fc.asyncProperty(requests(name, endpoint), async ({ params, query, key, pick, ...asked }) => {
        const before = stored();
        const body =
          pick === null
            ? asked.body
            : asked.body?.replace(SESSION_FIELD, `"$1":"${await idOf(pick)}"`);
        let path = endpoint.path;
        for (const [field, value] of Object.entries(params)) {
          const there = field === 'id' && pick !== null ? await idOf(pick) : KNOWN[field];
          path = path.replace(`{${field}}`, encode(pick === null ? value : (there ?? value)));
        }
        const answer = await ask({
          method: endpoint.method,
          url: `${path}?${endpoint.format === 'events' ? inPages(query) : query}`,
          headers: {
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(key === undefined || /[^\t\x20-\xff]/.test(key) ? {} : { 'idempotency-key': key }),
          },
          ...(body === undefined ? {} : { payload: body }),
        });
        statuses.add(answer.statusCode);
        expect([answer.statusCode < 500, failures]).toEqual([true, []]);
        if (answer.statusCode < 400) return;
        const { error } = ErrorAnswer.parse(answer.json());
        // The denial is logged in the session (P3).
        if (error.code === 'policy_denied') return;
        expect(stored()).toBe(before);
      }),
      { numRuns: COUNTS.get(name) as number, endOnFailure: true },
    );
    expect([name, [...statuses].some((status) => status < 300)]).toEqual([name, true]);
  },
  PATIENCE_MS,
);
