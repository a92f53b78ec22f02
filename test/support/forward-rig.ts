import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Principal } from '../../src/access/principal.ts';
import { endpoint } from '../../src/contract/api/endpoint.ts';
import { BatonError } from '../../src/contract/errors.ts';
import { newId } from '../../src/contract/values/ids.ts';
import { createApp } from '../../src/server/app.ts';
import {
  bodyDigestOf,
  type Claim,
  FORWARD_HEADER,
  forwardKeyOf,
  LIFE_MS,
  type RequestLine,
  sign,
} from '../../src/server/forward/credential.ts';
import { DatabaseClock } from '../../src/server/forward/database-clock.ts';
import { ForwardedRequests } from '../../src/server/forward/forwarded-requests.ts';
import { Forwarder } from '../../src/server/forward/forwarder.ts';
import { close, listen } from '../../src/server/listen.ts';
import { requestAuthenticator } from '../../src/server/request-authenticator.ts';
import type { Services } from '../../src/server/services.ts';
import type { OpenStreams } from '../../src/server/streams/open-streams.ts';
import { registerStreams } from '../../src/server/streams/register.ts';
import { ADMIN_TOKEN, authenticatorOver, peopleOf } from './authenticator-rig.ts';
import { CapturedLog } from './captured-log.ts';
import { temporaryDirectory } from './processes.ts';
import { testStore } from './sqlite.ts';

/** A host-bound operation with a body, which returns what its handler was given. */
const echo = endpoint({
  method: 'POST',
  path: '/api/v1/sessions/{id}/echo',
  summary: 'Answers what arrived',
  group: 'Test',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({ q: z.string().optional() }),
  body: z.object({ text: z.string() }),
  answer: z.unknown(),
  hostBound: true,
  idempotent: true,
});

/** How long a node that stops waits for open requests. */
export const STOP_GRACE_MS = 1000;

export interface TestNodeOptions {
  readonly servesApi?: boolean;
  readonly artefact?: () => Readable;
  /** Which host a session is on, as this node sees it. */
  readonly hostOf?: (id: string) => string | null;
  /** The registered address; by default the one it listens on. */
  readonly url?: string | null;
  readonly streamsPerUser?: number;
  /** Whether the node refuses WebSockets. */
  readonly refuses?: boolean;
}

/** Nodes of several hosts in this process, over one database, with stand-ins for what lives on a host. */
export async function forwardRig() {
  const store = await testStore({ path: join(temporaryDirectory(), 'baton.db') });
  onTestFinished(() => store.close());
  const key = forwardKeyOf(randomBytes(32));
  const clock = new DatabaseClock(() => store.time());
  const sessions = new Map<string, string>();
  /** Sessions that are no longer shared with anyone. */
  const unshared = new Set<string>();

  const node = async (host: string, options: TestNodeOptions = {}) => {
    const id = newId();
    const log = new CapturedLog();
    const heard: { by: Principal; headers: Record<string, unknown> }[] = [];
    const sockets: WebSocket[] = [];
    const authenticator = authenticatorOver(store);
    const shared = { key, clock, log };
    const forwarder = new Forwarder({ ...shared, host, nodes: () => store.listNodes() });
    const forwarded = new ForwardedRequests({ ...shared, authenticator, nodeId: () => id });
    const auth = requestAuthenticator(authenticator, { forwarded });
    const services = {
      hosts: {
        hostOf: async (_: Principal, session: string) => {
          const id = options.hostOf?.(session) ?? sessions.get(session);
          return id === undefined ? null : { id, name: `the ${id}` };
        },
      },
      logs: {
        canSee: async (_: Principal, sessionId: string) => !unshared.has(sessionId),
      },
      workspaces: {
        artefact: async (by: Principal) => {
          heard.push({ by, headers: {} });
          return options.artefact?.() ?? Readable.from([`from ${host}`]);
        },
      },
    } as unknown as Services;
    let streams: OpenStreams | undefined;
    const acceptor = new WebSocketServer({ noServer: true });
    const app = createApp({
      log: pino({ level: 'silent' }),
      ready: async () => ({}),
      auth,
      services: () => services,
      forwarder,
      servesApi: options.servesApi ?? true,
      routes: [
        (api) =>
          api.add(echo, async ({ by, body, query, request, idempotencyKey }) => {
            heard.push({ by, headers: request.headers });
            return { host, body, query, idempotencyKey };
          }),
        (api, services) => {
          streams = registerStreams(api, services, {
            auth,
            ...(options.streamsPerUser === undefined
              ? {}
              : { limits: { perUser: options.streamsPerUser } }),
            hostBound: [
              {
                path: /^\/ws\/sessions\/([^/?]+)\/test(?:\?|$)/,
                needs: 'run',
                async open({ by, request, upgrade }) {
                  if (options.refuses === true) throw new BatonError('session_ended');
                  heard.push({ by, headers: request.headers });
                  sockets.push(await upgrade(acceptor));
                },
              },
            ],
          });
        },
      ],
    });
    const url = await listen(app, '127.0.0.1', 0);
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= close(app, STOP_GRACE_MS).then(() => forwarder.close()));
    onTestFinished(stop);
    await store.join(
      {
        ...{ id, host, bootId: 'b', pidNamespace: '', pid: 1, pidStart: '' },
        ...{ roles: ['worker'], types: ['agent'], capacity: 1, version: '1' },
        url: options.url === undefined ? url : options.url,
      },
      600_000,
    );
    const ask = (method: string, path: string, more: RequestInit = {}) =>
      fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        ...more,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...more.headers },
      });
    return {
      id,
      url,
      host,
      app,
      log,
      heard,
      sockets,
      auth,
      ask,
      stop,
      streams: streams as OpenStreams,
    };
  };

  /** A valid credential of the administrator for this node and request, except for what is given. */
  const credential = async (
    to: { readonly id: string },
    line: RequestLine,
    { body = '', signedWith = key, ...claim }: Partial<Claim> & { signedWith?: Buffer } = {},
  ) => {
    const made = {
      ...{ node: to.id, userId: 'admin', credential: 'admin', address: '', requestId: 'r' },
      ...{ expiresAt: (await clock.now()) + LIFE_MS, number: newId() },
      body: bodyDigestOf(Buffer.from(body)),
      ...claim,
    };
    return { [FORWARD_HEADER]: sign(signedWith, made, line) };
  };
  /** The path of a new session on this host. */
  const session = (host: string): string => {
    const id = newId();
    sessions.set(id, host);
    return `/api/v1/sessions/${id}`;
  };
  /** Ends all shares of the session at this path. */
  const unshare = (path: string) => unshared.add(path.split('/').at(-1) as string);
  return { store, key, clock, node, session, unshare, credential, people: peopleOf(store) };
}
export type TestNode = Awaited<ReturnType<Awaited<ReturnType<typeof forwardRig>>['node']>>;

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
}

/** What a node answers to exactly these headers. `fetch` would send the request again after a 421. */
export async function statusOf(
  node: { readonly url: string },
  headers: Record<string, string>,
  { method = 'GET', path, body = '' }: Sent,
): Promise<number> {
  const type = body === '' ? {} : { 'content-type': 'application/json' };
  const sent = request(`${node.url}${path}`, { method, headers: { ...headers, ...type } });
  const [answer] = (await once(sent.end(body), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}
