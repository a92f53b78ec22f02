import type { NodeInfo } from '../../contract/node.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Logger } from '../logger.ts';
import type { LeaseKeeper, Store } from '../store.ts';
import { AttemptWriter } from '../worker/attempt-writer.ts';
import type { DatabaseWatch } from './database-watch.ts';
import { monotonicMs } from './lease-renewal.ts';

export interface MembershipOptions {
  readonly store: Store;
  readonly database: DatabaseWatch;
  readonly log: Logger;
  readonly node: Omit<NodeInfo, 'id'>;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly stallMs: number;
  readonly bufferBytes: number;
}

/**
 * One node, from its join until it leaves or loses its lease. Each node has its own writer, which
 * ends with the node. A worker that continues after losing its lease joins under a new id, so that
 * writes by the old node cannot be mistaken for writes by the new node.
 */
export class Membership {
  readonly id: string;
  readonly writer: AttemptWriter;
  readonly #store: Store;
  readonly #keeper: LeaseKeeper;
  #over = false;

  static async join(options: MembershipOptions): Promise<Membership> {
    const { store, leaseMs, renewMs, stallMs } = options;
    const id = newId();
    const sentAt = monotonicMs();
    await store.join({ id, ...options.node }, leaseMs);
    return new Membership(id, options, store.keepLease(id, { leaseMs, renewMs, stallMs, sentAt }));
  }

  private constructor(id: string, options: MembershipOptions, keeper: LeaseKeeper) {
    this.id = id;
    this.#store = options.store;
    this.#keeper = keeper;
    this.writer = new AttemptWriter(options);
  }

  /** How long the lease can still be trusted. */
  get remainingMs(): number {
    return this.#over || this.#keeper.lost() ? 0 : this.#keeper.remainingMs();
  }

  get trusted(): boolean {
    return this.remainingMs > 0;
  }

  /** Stops all writes under this node's id. */
  async end(): Promise<void> {
    this.#over = true;
    this.writer.abandon();
    await this.#keeper.stop();
  }

  /** Removes the node; runs it still holds are taken over like those of a dead node. */
  async leave(): Promise<void> {
    await this.end();
    await this.#store.leave(this.id);
  }
}
