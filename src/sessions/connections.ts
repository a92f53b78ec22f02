import { isBatonError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import type { Logger } from '../queue/logger.ts';
import { Pulse } from '../queue/pulse.ts';
import type { Connection } from './service.ts';
import type { ConnectionRow, SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';

export interface ConnectionsOptions {
  readonly store: Pick<SessionStore, 'openConnection' | 'closeConnections'>;
  readonly log: Logger;
  /** The node's id while it has a lease. */
  readonly nodeId: () => string | null;
}

interface Open {
  readonly sessionId: string;
  readonly userId: string;
  readonly kind: ConnectionRow['kind'];
  /** The node its row names; another one after the lease was lost and a new one taken. */
  nodeId: string | null;
}

/**
 * The open streams of this process as rows (S3). A row counts only while its node lives, so none has
 * to be cleaned up after a crash; and one that could not be entered is entered by the next look.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Open>();
  readonly #closed: string[] = [];
  readonly #closing = new Pulse(() => this.#flush());

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Throws only if the session is not there. */
  async open(sessionId: string, userId: string, kind: ConnectionRow['kind']): Promise<Connection> {
    const id = newId();
    const open: Open = { sessionId, userId, kind, nodeId: null };
    this.#open.set(id, open);
    await this.#enter(id, open);
    return { close: () => this.#close(id) };
  }

  /** Enters what has no row of this node's present life. */
  async reconcile(): Promise<void> {
    const node = this.#options.nodeId();
    for (const [id, open] of this.#open) {
      if (open.nodeId === node) continue;
      await this.#enter(id, open).catch(() => this.#open.delete(id));
    }
    if (this.#closed.length > 0) this.#closing.trigger();
  }

  async stop(): Promise<void> {
    for (const id of [...this.#open.keys()]) this.#close(id);
    await this.#flush();
    await this.#closing.stop();
  }

  async #enter(id: string, open: Open): Promise<void> {
    const { store, log, nodeId } = this.#options;
    const node = nodeId();
    if (node === null) return;
    try {
      const { sessionId, userId, kind } = open;
      logChanges(log, await store.openConnection({ id, sessionId, nodeId: node, userId, kind }));
      open.nodeId = node;
      // Closed while it was being entered: the row must go again.
      if (!this.#open.has(id)) this.#remove(id);
    } catch (error) {
      if (!isBatonError(error, 'not_found')) return;
      this.#open.delete(id);
      throw error;
    }
  }

  #close(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    if (open.nodeId !== null) this.#remove(id);
  }

  #remove(id: string): void {
    this.#closed.push(id);
    this.#closing.trigger();
  }

  async #flush(): Promise<void> {
    const ids = this.#closed.splice(0);
    if (ids.length === 0) return;
    // The database is away: tried again by the next look.
    await this.#options.store.closeConnections(ids).catch(() => this.#closed.push(...ids));
  }
}
