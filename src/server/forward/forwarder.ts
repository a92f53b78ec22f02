import { randomBytes } from 'node:crypto';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../../access/principal.ts';
import type { NodeRecord } from '../../contract/node.ts';
import type { Logger } from '../../queue/logger.ts';
import { hostAway } from '../../sessions/host-service.ts';
import type { HostRef } from '../../sessions/host-store.ts';
import {
  bodyDigestOf,
  type Claim,
  FORWARD_HEADER,
  isProof,
  LIFE_MS,
  PROOF_HEADER,
  sign,
} from './credential.ts';
import type { DatabaseClock } from './database-clock.ts';
import { CONNECT_TIMEOUT, NodeClient } from './node-client.ts';

/**
 * The request headers that are passed on to the destination. Cookies and tokens are left out, and
 * so is anything that describes this connection.
 */
const PASSED = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'range'];
const PASSED_UPGRADE = [
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
];
/**
 * Statuses with which a destination refuses the forwarding node. These statuses cannot concern the
 * caller, who was authenticated here.
 */
const REFUSED = new Set([401, 421]);
const NODE_REFUSED = 'NODE_REFUSED';
const UNHANDLED = new Set([
  NODE_REFUSED,
  CONNECT_TIMEOUT,
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** Codes of the error when a node has closed the connection. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
/** Methods that change nothing, so that it does not matter whether the node handled the request. */
const READING = new Set(['GET', 'HEAD']);

interface Destination {
  readonly id: string;
  readonly url: string;
}

export interface ForwardRequest {
  readonly method: string;
  /** Path and query, as the caller sent them. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly by: Principal;
  /** The request asks for a WebSocket. */
  readonly upgrade?: true;
  /** Aborts when the caller disconnects. */
  readonly signal?: AbortSignal;
}

export interface ForwarderOptions {
  readonly key: Buffer;
  /** This node's host. */
  readonly host: string;
  readonly nodes: () => Promise<NodeRecord[]>;
  readonly clock: DatabaseClock;
  readonly log: Pick<Logger, 'warn'>;
}

export interface Answer {
  /** The response's body is read only as fast as the caller reads it. */
  readonly answer: IncomingMessage;
  /** The connection of an accepted upgrade, and the data that has already arrived on it. */
  readonly upgraded: { readonly socket: Duplex; readonly head: Buffer } | null;
}

/**
 * Forwards requests about something that exists only on another host to a live node there (X7).
 * Throws `host_away` if no such node can be reached.
 */
export class Forwarder {
  readonly host: string;
  readonly #options: ForwarderOptions;
  readonly #client = new NodeClient();

  constructor(options: ForwarderOptions) {
    this.host = options.host;
    this.#options = options;
  }

  /**
   * Tries the nodes of the host one after the other, until one may have handled the request. A node
   * may close a kept connection just as a request is sent on it, for instance because it restarts;
   * reading is then repeated on a new connection.
   */
  async forward(host: HostRef, request: ForwardRequest): Promise<Answer> {
    const { key, log } = this.#options;
    let cause: unknown;
    const tries = (await this.#nodesOf(host.id)).map((to) => ({ to, reuse: true }));
    for (let next = tries.shift(); next !== undefined; next = tries.shift()) {
      const { to, reuse } = next;
      const { sent, claim } = await this.#send(to, request, reuse);
      try {
        const given = await answerTo(sent);
        check(given, {
          isProven: isProof(key, claim, given.answer.headers[PROOF_HEADER]),
          request,
        });
        // The proof is meant for this node only, so it is not passed on.
        delete given.answer.headers[PROOF_HEADER];
        return given;
      } catch (err) {
        cause = err;
        if (request.signal?.aborted === true) break;
        if (sent.reusedSocket && CLOSED.has(codeOf(err)) && READING.has(request.method)) {
          tries.unshift({ to, reuse: false });
          continue;
        }
        log.warn({ host: host.name, node: to.id, err }, 'A request could not be forwarded');
        if (!isUnhandled(err)) break;
      }
    }
    throw hostAway(host, 'node responded in time', cause);
  }

  close(): void {
    this.#client.close();
  }

  /**
   * Live nodes with an address; workers come first, because they are sure to have the data
   * directory.
   */
  async #nodesOf(host: string): Promise<Destination[]> {
    const { nodes, clock } = this.#options;
    const [all, now] = await Promise.all([nodes(), clock.now()]);
    return all
      .filter((node) => node.host === host && node.leaseUntil > now)
      .toSorted((a, b) => Number(isWorker(b)) - Number(isWorker(a)) || b.startedAt - a.startedAt)
      .flatMap(({ id, url }) => (url == null ? [] : [{ id, url }]));
  }

  async #send(
    to: Destination,
    request: ForwardRequest,
    reuse: boolean,
  ): Promise<{ readonly sent: ClientRequest; readonly claim: Claim }> {
    const { method, url, headers, body, by, upgrade, signal } = request;
    const { key, clock } = this.#options;
    const claim = {
      node: to.id,
      userId: by.userId,
      credential: by.credential ?? '',
      address: by.address ?? '',
      requestId: by.requestId ?? '',
      body: bodyDigestOf(body),
      expiresAt: (await clock.now()) + LIFE_MS,
      number: randomBytes(18).toString('base64url'),
    };
    const passed = (upgrade === true ? PASSED_UPGRADE : PASSED).flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]] as const],
    );
    const sent = this.#client.send(to.url, {
      method,
      url,
      body,
      // A connection that was upgraded cannot be used for another request.
      reuse: reuse && upgrade !== true,
      headers: {
        ...Object.fromEntries(passed),
        ...(upgrade === true ? { connection: 'Upgrade', upgrade: 'websocket' } : {}),
        [FORWARD_HEADER]: sign(key, claim, request),
      },
      ...(signal === undefined ? {} : { signal }),
    });
    return { sent, claim };
  }
}

const isWorker = ({ roles }: NodeRecord): boolean => roles.includes('worker');

const answerTo = (sent: ClientRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (answer) => resolve({ answer, upgraded: null }));
    sent.once('upgrade', (answer, socket, head) => resolve({ answer, upgraded: { socket, head } }));
  });

/**
 * Throws if the response is not from the node we expected, or if it refuses or redirects us. The
 * address may lead to another server, but only the expected node can give the proof (X7).
 */
function check(
  { answer, upgraded }: Answer,
  { isProven, request }: { readonly isProven: boolean; readonly request: ForwardRequest },
): void {
  const { statusCode = 0 } = answer;
  const isUnasked = upgraded !== null && request.upgrade !== true;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  if (isProven && !isUnasked && !REFUSED.has(statusCode) && !isRedirect) return;
  // Another server's response may be endless.
  answer.destroy();
  upgraded?.socket.destroy();
  const error = new Error(
    isProven
      ? `The node refused the request with status ${statusCode}.`
      : `A server other than the expected node responded with status ${statusCode}.`,
  );
  throw Object.assign(error, { code: NODE_REFUSED });
}

/** Whether the node certainly did not handle the request, so that another node can be tried. */
const isUnhandled = (error: unknown): boolean => UNHANDLED.has(codeOf(error));

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);
