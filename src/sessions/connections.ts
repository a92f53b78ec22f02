import { isBatonError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import { Coalescer } from '../queue/coalescer.ts';
import type { Logger } from '../queue/logger.ts';
import type { Connection } from './service.ts';
import type { NewConnection, SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';

export interface ConnectionsOptions {
  readonly store: Pick<SessionStore, 'openConnections' | 'closeConnections'>;
  readonly log: Logger;
  /** The node's id while it has a lease. */
  readonly nodeId: () => string | null;
}

interface Open extends NewConnection {
  readonly sessionId: string;
  /** The node its row names; another one after the lease was lost and a new one taken. */
  nodeId: string | null;
  /** There may be a row: an answer that got lost does not say. */
  tried: boolean;
  /** Resolves when it was tried to be entered, rejects if the session is not there. */
  readonly entered: PromiseWithResolvers<void>;
}

/**
 * The open streams of this process as rows (S3). A row counts only while its node lives, so none has
 * to be cleaned up after a crash; and one that could not be entered is entered by the next look.
 * Those that come together are entered together: after a restart a thousand readers are back at once.
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

  /** Throws only if the session is not there. */
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

  /** Enters what has no row of this node's present life, and removes what could not be removed. */
  reconcile(): void {
    const node = this.#options.nodeId();
    const amiss = [...this.#open.values()].some(({ nodeId }) => nodeId !== node);
    if (amiss || this.#closed.length > 0) this.#writing.trigger();
  }

  async stop(): Promise<void> {
    const opens = [...this.#open.values()];
    for (const open of opens) this.#close(open);
    await this.#writing.stop();
    // Nobody enters them any more, and nobody may wait for it.
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

  async #enter(sessionId: string, nodeId: string, found: readonly Open[]): Promise<void> {
    const { store, log } = this.#options;
    const opens = found.filter(({ id }) => this.#open.has(id));
    // From here on a close removes the row, behind this.
    for (const open of opens) open.tried = true;
    try {
      const rows = opens.map(({ id, userId, kind }) => ({ id, userId, kind }));
      const place = { sessionId, nodeId };
      if (rows.length > 0) logChanges(log, await store.openConnections(place, rows));
      for (const open of opens) open.nodeId = nodeId;
    } catch (error) {
      // Anything else passes: the database is away, or the lease was lost, and the next look is soon.
      if (isBatonError(error, 'not_found')) {
        for (const open of opens) {
          this.#open.delete(open.id);
          open.entered.reject(error);
        }
      }
    }
    for (const { entered } of found) entered.resolve();
  }

  async #remove(): Promise<void> {
    const ids = this.#closed.splice(0);
    if (ids.length === 0) return;
    // The database is away: tried again by the next look.
    await this.#options.store.closeConnections(ids).catch(() => this.#closed.push(...ids));
  }
}
