import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../queue/logger.ts';
import { networkOf, type ProxyCheck } from './address.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/**
 * Unanswered requests on one connection. Browsers, `fetch` and proxies send the next request after
 * the response; requests that are sent ahead only take memory until their turn comes.
 */
const UNANSWERED_MAX = 16;
/** How often dropped connections are logged at most. */
const LOG_MS = 60_000;

export interface GuardOptions extends ConnectionLimits {
  /** Connections of trusted proxies carry many people's requests and are never dropped. */
  readonly proxies: ProxyCheck;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Keeps connections from using up the file descriptors that agents and the database need. A connection
 * is a stranger's until a request on it was authenticated. If there are too many of those, from one
 * address or in total, the one that has been silent longest is dropped, never the new one: a person who
 * shares an address with an attacker sends a request within milliseconds and is no longer silent.
 */
export class ConnectionGuard {
  readonly #options: GuardOptions;
  /** The longest silent connection first, with the network that it is counted by. */
  readonly #strangers = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, Set<Duplex>>();
  readonly #known = new Set<Duplex>();
  readonly #unanswered = new WeakMap<Duplex, number>();
  #dropped = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  watch(server: Server): void {
    // The last resort, if all connections belong to users.
    server.maxConnections = this.#options.most;
    server.on('connection', (socket: Socket) => this.#opened(socket));
    // Runs before the app's own listener, which ignores requests of a destroyed connection.
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#spoke(socket);
      this.#asked(socket, response);
    });
  }

  /** A request on this connection was authenticated. */
  admit(socket: Duplex): void {
    if (!this.#forget(socket)) return;
    this.#known.add(socket);
  }

  #opened(socket: Socket): void {
    const { most, perAddress, proxies } = this.#options;
    socket.once('close', () => {
      this.#known.delete(socket);
      this.#forget(socket);
    });
    const { isTrusted, address } = proxies(socket);
    if (isTrusted) {
      this.#known.add(socket);
      return;
    }
    const others = this.#remember(socket, networkOf(address));
    if (others.size > perAddress) this.#drop(first(others));
    // One slot stays free for the next connection.
    const isFull = this.#known.size + this.#strangers.size >= most;
    if (isFull && this.#strangers.size > 1) this.#drop(first(this.#strangers.keys()));
  }

  #spoke(socket: Duplex): void {
    const address = this.#strangers.get(socket);
    if (address === undefined) return;
    this.#forget(socket);
    this.#remember(socket, address);
  }

  #asked(socket: Duplex, response: ServerResponse): void {
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1;
    this.#unanswered.set(socket, unanswered);
    response.once('close', () => {
      this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1);
    });
    if (unanswered > UNANSWERED_MAX) socket.destroy();
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
    socket.destroy();
    this.#dropped++;
    if (performance.now() - this.#loggedAt < LOG_MS) return;
    const { most, perAddress, log } = this.#options;
    log.warn(
      { dropped: this.#dropped, most, perAddress },
      'Too many connections without an authenticated request; dropped some',
    );
    this.#loggedAt = performance.now();
    this.#dropped = 0;
  }
}

const first = <T>(items: Iterable<T>): T => items[Symbol.iterator]().next().value as T;
