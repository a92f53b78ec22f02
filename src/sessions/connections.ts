import { isBatonError } from '../contract/errors.ts';
import { newId } from '../contract/values/ids.ts';
import { Coalescer } from '../queue/coalescer.ts';
import type { Logger } from '../queue/logger.ts';
import type { NewConnection, SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';

export interface ConnectionsOptions {
  readonly store: Pick<SessionStore, 'openConnections' | 'closeConnections'>;
  readonly log: Logger;
  /** The node's id while it has a lease. */
  readonly nodeId: () => string | null;
}

/** A registered connection. It ends when it is closed, or when its node's lease expires. */
export interface Connection {
  close(): void;
}

interface Open extends NewConnection {
  readonly sessionId: string;
  /**
   * The node named in the connection's row. It differs from this node's id if the lease was lost
   * and a new lease was taken.
   */
  nodeId: string | null;
  /** A row may exist in the database, even if the response to the insert was lost. */
  tried: boolean;
  /** Resolves after the first attempt to insert it; rejects if the session does not exist. */
  readonly entered: PromiseWithResolvers<void>;
}

/**
 * This process's open streams, as rows in the database (S3). A row is valid only while its node is
 * alive, so a crash needs no cleanup. The reconciler's next pass inserts any connection that could
 * not be inserted. Inserts are batched because a thousand readers may reconnect at once after a
 * restart.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Open>();
  readonly #closed: string[] = [];
  readonly #writing = new Coalescer(() => this.#write());

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Throws only if the session does not exist. */
  async open(sessionId: string, userId: string, kind: NewConnection['kind']): Promise<Connection> {
    const entered = Promise.withResolvers<void>();
    const open: Open = {
      id: newId(),
      sessionId,
      userId,
      kind,
      nodeId: null,
      tried: false,
      entered,
    };
    this.#open.set(open.id, open);
    this.#writing.trigger();
    await entered.promise;
    return { close: () => this.#close(open) };
  }

  /**
   * Inserts connections without a row for this node's current lease, and retries failed removals.
   */
  reconcile(): void {
    const node = this.#options.nodeId();
    const someMissing = [...this.#open.values()].some(({ nodeId }) => nodeId !== node);
    if (someMissing || this.#closed.length > 0) this.#writing.trigger();
  }

  async stop(): Promise<void> {
    const opens = [...this.#open.values()];
    for (const open of opens) this.#close(open);
    await this.#writing.stop();
    // These connections will never be inserted now, so nothing may keep waiting for them.
    for (const { entered } of opens) entered.resolve();
    await this.#remove();
  }

  #close(open: Open): void {
    if (!this.#open.delete(open.id)) return;
    if (!open.tried) return;
    this.#closed.push(open.id);
    this.#writing.trigger();
  }

  async #write(): Promise<void> {
    const node = this.#options.nodeId();
    const missing = [...this.#open.values()].filter(({ nodeId }) => nodeId !== node);
    if (node === null) for (const { entered } of missing) entered.resolve();
    else {
      for (const [id, opens] of Map.groupBy(missing, ({ sessionId }) => sessionId)) {
        await this.#enter(id, node, opens);
      }
    }
    await this.#remove();
  }

  async #enter(sessionId: string, nodeId: string, missing: readonly Open[]): Promise<void> {
    const { store, log } = this.#options;
    const opens = missing.filter(({ id }) => this.#open.has(id));
    // From here on, closing a connection also removes its row, once this insert is done.
    for (const open of opens) open.tried = true;
    try {
      const rows = opens.map(({ id, userId, kind }) => ({ id, userId, kind }));
      const key = { sessionId, nodeId };
      if (rows.length > 0) logChanges(log, await store.openConnections(key, rows));
      for (const open of opens) open.nodeId = nodeId;
    } catch (error) {
      // Other errors are temporary: the database is unavailable or the lease was lost. The next
      // pass retries.
      if (isBatonError(error, 'not_found')) {
        for (const open of opens) {
          this.#open.delete(open.id);
          open.entered.reject(error);
        }
      }
    }
    for (const { entered } of missing) entered.resolve();
  }

  async #remove(): Promise<void> {
    const ids = this.#closed.splice(0);
    if (ids.length === 0) return;
    // If the database is unavailable, the next pass tries again.
    await this.#options.store.closeConnections(ids).catch(() => this.#closed.push(...ids));
  }
}
