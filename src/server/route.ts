import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Page } from '../access/page.ts';
import type { Authorised, Principal } from '../access/principal.ts';
import { requireRight } from '../access/require-right.ts';
import type { Right } from '../contract/access.ts';
import type { Endpoint } from '../contract/api/endpoint.ts';
import { systemEndpoints } from '../contract/api/system.ts';
import { BatonError } from '../contract/errors.ts';
import { giveWay } from '../queue/give-way.ts';
import type { HostService } from '../sessions/host-service.ts';
import type { HostRef } from '../sessions/host-store.ts';
import { forwardRequest } from './forward/forward-request.ts';
import type { Forwarder } from './forward/forwarder.ts';
import { type Input, readInput } from './input.ts';

/** The caller of an endpoint, with the rights that the endpoint requires. */
type Caller<E extends Endpoint> = HolderOf<E['needs'], E['reads']>;
/**
 * Distributes over unions: if an endpoint requires one of several rights, no single one is certain.
 */
type HolderOf<N extends Right, R extends boolean> = N extends Right
  ? R extends true
    ? Authorised<N | 'read'>
    : Authorised<N>
  : never;

/** One request, parsed. */
export interface Call<E extends Endpoint> extends Input<E> {
  readonly by: Caller<E>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Returns the response: a value, or text or a stream of text if the format is not JSON. A handler
 * for the format `events` returns a page, or hijacks its reply and streams.
 */
export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => [z.input<E['answer']>] extends [undefined]
  ? Promise<void>
  : Promise<z.input<E['answer']> | Readable>;

/** What routes need to register themselves. */
export interface Api {
  readonly app: FastifyInstance;
  add<E extends Endpoint>(endpoint: E, handler: Handler<E>): void;
  /**
   * The other host that must handle a host-bound request for this session; null if it is this host
   * or there is none. Throws `misdirected` instead if another node has already forwarded the
   * request, because requests are forwarded only once (X7).
   */
  hostElsewhere(by: Principal, sessionId: string, isForwarded: boolean): Promise<HostRef | null>;
  readonly forwarder: Forwarder | null;
  readonly servesApi: boolean;
}

export interface RouteOptions {
  readonly services: () => { readonly hosts: HostService };
  /** Null if there is only this host. */
  readonly forwarder: Forwarder | null;
  /**
   * If false, the node serves only requests from monitors and requests that other nodes forward.
   */
  readonly servesApi: boolean;
  /** For tests: validates every response against its schema before it is sent. */
  readonly checkAnswers: boolean;
}

/** Every node serves requests for these paths. */
const SYSTEM_PATHS = new Set<string>(Object.values(systemEndpoints).map(({ path }) => path));

const CONTENT_TYPES: Record<Endpoint['format'], string> = {
  json: 'application/json; charset=utf-8',
  events: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

export function createApi(app: FastifyInstance, options: RouteOptions): Api {
  const { services, forwarder, servesApi, checkAnswers } = options;
  app.addHook('onRequest', async (request) => {
    checkRight(request);
    checkServed(request, servesApi);
  });
  const hostElsewhere: Api['hostElsewhere'] = async (by, sessionId, isForwarded) => {
    if (forwarder === null) return null;
    const host = await services().hosts.hostOf(by, sessionId, forwarder.host);
    if (isForwarded && host?.id !== forwarder.host) throw new BatonError('misdirected');
    return host?.id === forwarder.host ? null : host;
  };
  return {
    app,
    forwarder,
    servesApi,
    hostElsewhere,
    add(endpoint, handler) {
      const { method, path, format, needs, reads, page, download, hostBound, bodyMax } = endpoint;
      app.route({
        method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        // A stream has no length to report.
        exposeHeadRoute: method === 'GET' && format !== 'events' && format !== 'ndjson',
        config: { pattern: path, needs, reads, page, download, hostBound },
        ...(bodyMax === undefined ? {} : { bodyLimit: bodyMax }),
        handler: async (request, reply) => {
          const by = callerOf(endpoint, request);
          const call = { ...readInput(endpoint, request), by, request, reply };
          if (hostBound && forwarder !== null) {
            const { id } = call.params as { id: string };
            const host = await hostElsewhere(by, id, request.forwarded !== null);
            if (host !== null) return forwardRequest(forwarder, host, call);
          }
          // A list or a sum may take a tenth of a second, and a user may ask for many at once.
          if (method === 'GET' && by !== STRANGER) await giveWay(by.userId);
          reply.code(endpoint.status).type(CONTENT_TYPES[format]);
          const answer = await handler(call);
          if (reply.sent) return reply;
          if (endpoint.status === 204) reply.removeHeader('content-type');
          else if (format === 'json' || format === 'events') {
            return serialise(endpoint, answer, checkAnswers);
          }
          return answer;
        },
      });
    },
  };
}

/** Returns the items of a page, and sets the cursor of the next page as a header. */
export function paged<T>({ reply }: { reply: FastifyReply }, { items, nextCursor }: Page<T>): T[] {
  if (nextCursor !== null) reply.header('x-next-cursor', nextCursor);
  return items;
}

/**
 * Runs after authentication and before the input is read, so a caller without the right learns
 * nothing from the response. A route that names no right requires `admin`, so forgetting to name a
 * right opens nothing.
 */
function checkRight({ principal, is404, routeOptions }: FastifyRequest): void {
  if (principal === null || is404) return;
  const { needs = 'admin', reads = false } = routeOptions.config;
  requireRights(principal, needs, reads);
}

/** Runs after the permission check: a stranger must not learn what kind of node this is. */
function checkServed({ forwarded, is404, routeOptions }: FastifyRequest, servesApi: boolean): void {
  const { hostBound = false, pattern = '' } = routeOptions.config;
  if (forwarded !== null) {
    if (!hostBound) throw new BatonError('misdirected');
  } else if (!(servesApi || is404 || SYSTEM_PATHS.has(pattern))) throw notServed();
}

export const notServed = (): BatonError =>
  new BatonError('not_found', 'This node does not serve the API. Send the request to an API node.');

const STRANGER: Principal = { userId: '', role: 'viewer', channel: 'api' };

/**
 * The caller, whose rights are checked again, because they may have been reduced while the body was
 * arriving.
 */
export function callerOf<E extends Endpoint>(
  { open, needs, reads }: E,
  { principal }: FastifyRequest,
): Caller<E> {
  if (principal === null && !open) throw new BatonError('unauthorized');
  const by = principal ?? STRANGER;
  requireRights(by, needs, reads);
  return by as Caller<E>;
}

function requireRights(by: Principal, needs: Right | null, reads: boolean): void {
  if (needs !== null) requireRight(by, needs);
  if (reads) requireRight(by, 'read');
}

function serialise(endpoint: Endpoint, answer: unknown, check: boolean): string {
  return JSON.stringify(check ? endpoint.answer.parse(answer) : answer);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null on routes that need no credential. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** The path in the contract, with `{name}` for parameters. */
    pattern?: string;
    /** The right that the credential needs; null for none. */
    needs?: Right | null;
    /**
     * The route returns stored content, so in addition to `needs` it requires the right to read.
     */
    reads?: boolean;
    /** The cookie alone is enough for this route. */
    page?: boolean;
    /** A ticket opens the route. */
    download?: boolean;
    /** What the route serves exists only on the session's host. */
    hostBound?: boolean;
  }
}
