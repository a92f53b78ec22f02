import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../queue/logger.ts';
import { networkOf, type ProxyCheck } from './address.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/** Dropped connections are logged this often at most. */
const LOG_MS = 60_000;

export interface GuardOptions extends ConnectionLimits {
  /** Their connections carry many people's requests and are never dropped. */
  readonly proxies: ProxyCheck;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Keeps connections from using up the descriptors that agents and the database need. A connection is
 * a stranger's until a request on it was authenticated. Where there are too many of those, of one
 * address or of all, the one silent for longest is dropped, never the new one: a person who shares
 * an address with an attacker sends a request within milliseconds, and is not silent any more.
 */
export class ConnectionGuard {
  readonly #options: GuardOptions;
  /** The one silent for longest is first; with what its address is counted by. */
  readonly #strangers = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, Set<Duplex>>();
  readonly #known = new Set<Duplex>();
  #dropped = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  watch(server: Server): void {
    // The last resort, if all connections are those of users.
    server.maxConnections = this.#options.most;
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.on('request', ({ socket }: { socket: Socket }) => this.#spoke(socket));
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
    // One place stays free for who comes next.
    const isFull = this.#known.size + this.#strangers.size >= most;
    if (isFull && this.#strangers.size > 1) this.#drop(first(this.#strangers.keys()));
  }

  #spoke(socket: Duplex): void {
    const address = this.#strangers.get(socket);
    if (address === undefined) return;
    this.#forget(socket);
    this.#remember(socket, address);
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
      'Dropped connections without an authenticated request: there were too many',
    );
    this.#loggedAt = performance.now();
    this.#dropped = 0;
  }
}

const first = <T>(items: Iterable<T>): T => items[Symbol.iterator]().next().value as T;
