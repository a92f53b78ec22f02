import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../queue/logger.ts';
import { networkOf, type ProxyCheck } from './address.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { limitChunks } from './small-chunks.ts';

/**
 * The maximum number of unanswered requests on one connection. Browsers, `fetch` and proxies send a
 * request only after the response to the previous request. Requests sent earlier only take up
 * memory while they wait.
 */
const UNANSWERED_MAX = 16;
/** The shortest interval between log lines about dropped connections. */
const LOG_MS = 60_000;

export interface GuardOptions extends ConnectionLimits {
  /** Connections of trusted proxies carry many people's requests and are never dropped. */
  readonly proxies: ProxyCheck;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Keeps connections from using up the file descriptors that agents and the database need. A
 * connection belongs to a stranger until a request on it is authenticated. If there are too many
 * such connections, from one address or in total, the connection that has been silent longest is
 * dropped, never the new connection. That protects a person who shares an address with an attacker:
 * such a person sends a request within milliseconds and is then no longer silent.
 */
export class ConnectionGuard {
  readonly #options: GuardOptions;
  /**
   * Connections of strangers, each with the network it counts towards. The connection that has been
   * silent longest comes first.
   */
  readonly #strangers = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, Set<Duplex>>();
  /** Connections of known users, each with its user; null for a trusted proxy or another node. */
  readonly #known = new Map<Duplex, string | null>();
  /** For each user, the connection that has been silent longest comes first. */
  readonly #byUser = new Map<string, Set<Duplex>>();
  readonly #unanswered = new WeakMap<Duplex, Set<ServerResponse>>();
  readonly #upgraded = new WeakSet<Duplex>();
  #dropped = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  watch(server: Server): void {
    // The last resort, if all connections belong to users.
    server.maxConnections = this.#options.most;
    server.on('connection', (socket: Socket) => this.#opened(socket));
    // Runs before the app's own listener, which ignores requests on a destroyed connection.
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#spoke(request.socket);
      this.#asked(request.socket, response);
      limitChunks(request, response);
    });
    // Otherwise Node would send a 417 itself, without counting the request or watching the
    // response.
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      server.emit('request', request, response),
    );
    // An upgraded connection is in use until it closes. Responses that are still pending on it will
    // never be sent.
    server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
      this.#upgraded.add(socket);
      if (this.#isAnswering(socket)) socket.destroy();
    });
  }

  /**
   * Called when a request on this connection has been authenticated. The connection counts towards
   * its first user's limit, even if a proxy uses it for others. A user with too many connections
   * loses the connection that has been silent longest; a connection in use is dropped only if all
   * the user's connections are in use. `null` stands for another node, which has no limit.
   */
  admit(socket: Duplex, userId: string | null): void {
    if (!this.#forget(socket)) return;
    this.#known.set(socket, userId);
    if (userId === null) return;
    const own = this.#byUser.get(userId) ?? new Set();
    this.#byUser.set(userId, own.add(socket));
    if (own.size <= this.#options.perUser) return;
    const idle = [...own].find((each) => !this.#isInUse(each));
    this.#drop(idle ?? first(own));
  }

  #opened(socket: Socket): void {
    const { most, perAddress, proxies } = this.#options;
    socket.once('close', () => {
      this.#forget(socket);
      this.#forgetKnown(socket);
      this.#closeResponses(socket);
    });
    const { isTrusted, address } = proxies(socket);
    if (isTrusted) {
      this.#known.set(socket, null);
      return;
    }
    const others = this.#remember(socket, networkOf(address));
    if (others.size > perAddress) this.#drop(first(others));
    // One slot stays free for the next connection.
    const isFull = this.#known.size + this.#strangers.size >= most;
    if (isFull && this.#strangers.size > 1) this.#drop(first(this.#strangers.keys()));
  }

  #spoke(socket: Duplex): void {
    const own = this.#byUser.get(this.#known.get(socket) ?? '');
    if (own?.delete(socket)) own.add(socket);
    const address = this.#strangers.get(socket);
    if (address === undefined) return;
    this.#forget(socket);
    this.#remember(socket, address);
  }

  #asked(socket: Duplex, response: ServerResponse): void {
    const unanswered = this.#unanswered.get(socket) ?? new Set();
    this.#unanswered.set(socket, unanswered.add(response));
    response.once('close', () => unanswered.delete(response));
    if (unanswered.size > UNANSWERED_MAX) socket.destroy();
  }

  /**
   * When a connection closes, Node closes the responses that are pending on it, except after an
   * upgrade or a CONNECT. In those two cases, everything that waits for a response's `close` would
   * be kept forever.
   */
  #closeResponses(socket: Duplex): void {
    const unanswered = this.#unanswered.get(socket);
    if (unanswered === undefined || unanswered.size === 0) return;
    setImmediate(() => {
      for (const response of unanswered) {
        response.destroy();
        response.emit('close');
      }
    });
  }

  #isAnswering(socket: Duplex): boolean {
    return (this.#unanswered.get(socket)?.size ?? 0) > 0;
  }

  #isInUse(socket: Duplex): boolean {
    return this.#upgraded.has(socket) || this.#isAnswering(socket);
  }

  #forgetKnown(socket: Duplex): void {
    const userId = this.#known.get(socket) ?? '';
    this.#known.delete(socket);
    const own = this.#byUser.get(userId);
    own?.delete(socket);
    if (own?.size === 0) this.#byUser.delete(userId);
  }

  #remember(socket: Duplex, address: string): Set<Duplex> {
    const others = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, others.add(socket));
    this.#strangers.set(socket, address);
    return others;
  }

  #forget(socket: Duplex): boolean {
    const address = this.#strangers.get(socket);
    if (address === undefined) return false;
    this.#strangers.delete(socket);
    const others = this.#byAddress.get(address);
    others?.delete(socket);
    if (others?.size === 0) this.#byAddress.delete(address);
    return true;
  }

  #drop(socket: Duplex): void {
    this.#forget(socket);
    this.#forgetKnown(socket);
    socket.destroy();
    this.#dropped++;
    if (performance.now() - this.#loggedAt < LOG_MS) return;
    const { most, perAddress, perUser, log } = this.#options;
    log.warn(
      { dropped: this.#dropped, most, perAddress, perUser },
      'Too many connections in total, from one address or from one user; dropped some',
    );
    this.#loggedAt = performance.now();
    this.#dropped = 0;
  }
}

const first = <T>(items: Iterable<T>): T => items[Symbol.iterator]().next().value as T;
