import { randomBytes } from 'node:crypto';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../../access/principal.ts';
import type { NodeRecord } from '../../contract/node.ts';
import type { Logger } from '../../queue/logger.ts';
import { hostAway } from '../../sessions/host-service.ts';
import type { HostRef } from '../../sessions/host-store.ts';
import { bodyDigestOf, FORWARD_HEADER, LIFE_MS, sign } from './credential.ts';
import type { DatabaseClock } from './database-clock.ts';
import { CONNECT_TIMEOUT, NodeClient } from './node-client.ts';

/** Passed on to the destination. Cookies and tokens are not, nor what describes this connection. */
const PASSED = ['accept', 'content-type', 'idempotency-key', 'last-event-id', 'range'];
const PASSED_UPGRADE = [
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
];
/** With these a destination refuses the forwarding node. The caller was authenticated here. */
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

export interface ForwardRequest {
  readonly method: string;
  /** Path and query, as the caller sent them. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly by: Principal;
  /** It asks for a WebSocket. */
  readonly upgrade?: true;
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal;
}

export interface ForwarderOptions {
  readonly key: Buffer;
  /** The host of this node. */
  readonly host: string;
  readonly nodes: () => Promise<NodeRecord[]>;
  readonly clock: DatabaseClock;
  readonly log: Pick<Logger, 'warn'>;
}

export interface Answer {
  /** Its body is read only as fast as the caller takes it. */
  readonly answer: IncomingMessage;
  /** The connection of an accepted upgrade, and what arrived on it already. */
  readonly upgraded: { readonly socket: Duplex; readonly head: Buffer } | null;
}

/**
 * Passes requests for what lives on another host to a live node there (X7). Throws `host_away` if there
 * is none that can be reached.
 */
export class Forwarder {
  readonly host: string;
  readonly #options: ForwarderOptions;
  readonly #client = new NodeClient();
  readonly #tunnels = new Set<Duplex>();

  constructor(options: ForwarderOptions) {
    this.host = options.host;
    this.#options = options;
  }

  /** Tries the nodes of the host one after the other, until one may have handled the request. */
  async forward(host: HostRef, request: ForwardRequest): Promise<Answer> {
    const { log } = this.#options;
    let cause: unknown;
    for (const { id, url } of await this.#nodesOf(host.id)) {
      const sent = await this.#send({ id, url }, request);
      try {
        return this.#tracked(checked(await answerTo(sent)));
      } catch (err) {
        cause = err;
        if (request.signal?.aborted === true) break;
        log.warn({ host: host.name, node: id, err }, 'A request could not be forwarded');
        if (!isUnhandled(err)) break;
      }
    }
    throw hostAway(host, 'node answered in time', cause);
  }

  /** Tunnels do not end with the requests of the server, so a node that stops ends them itself. */
  closeTunnels(): void {
    for (const socket of this.#tunnels) socket.destroy();
  }

  close(): void {
    this.closeTunnels();
    this.#client.close();
  }

  #tracked(given: Answer): Answer {
    const socket = given.upgraded?.socket;
    if (socket !== undefined) {
      this.#tunnels.add(socket);
      socket.once('close', () => this.#tunnels.delete(socket));
    }
    return given;
  }

  /** Live nodes with an address: workers first, because the data directory is certainly theirs. */
  async #nodesOf(host: string): Promise<{ id: string; url: string }[]> {
    const { nodes, clock } = this.#options;
    const [all, now] = await Promise.all([nodes(), clock.now()]);
    return all
      .filter((node) => node.host === host && node.leaseUntil > now)
      .toSorted((a, b) => Number(isWorker(b)) - Number(isWorker(a)) || b.startedAt - a.startedAt)
      .flatMap(({ id, url }) => (url == null ? [] : [{ id, url }]));
  }

  async #send(
    to: { readonly id: string; readonly url: string },
    request: ForwardRequest,
  ): Promise<ClientRequest> {
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
    return this.#client.send(to.url, {
      method,
      url,
      body,
      headers: {
        ...Object.fromEntries(passed),
        ...(upgrade === true ? { connection: 'Upgrade', upgrade: 'websocket' } : {}),
        [FORWARD_HEADER]: sign(key, claim, request),
      },
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

const isWorker = ({ roles }: NodeRecord): boolean => roles.includes('worker');

const answerTo = (sent: ClientRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (answer) => resolve({ answer, upgraded: null }));
    sent.once('upgrade', (answer, socket, head) => resolve({ answer, upgraded: { socket, head } }));
  });

/** Throws if the destination refuses us, or sends us elsewhere: it is not the node that we expected. */
function checked(given: Answer): Answer {
  const { statusCode = 0 } = given.answer;
  if (!REFUSED.has(statusCode) && !(statusCode >= 300 && statusCode < 400)) return given;
  given.answer.resume();
  const error = new Error(`The node refused it with status ${statusCode}.`);
  throw Object.assign(error, { code: NODE_REFUSED });
}

/** That node has done nothing, so another may be asked the same. */
const isUnhandled = (error: unknown): boolean =>
  UNHANDLED.has(String((error as NodeJS.ErrnoException).code));
