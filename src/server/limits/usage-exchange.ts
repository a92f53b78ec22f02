import type { AccessStore, Usage } from '../../access/access-store.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { Limits } from './limits.ts';

const EVERY_MS = 1000;
/**
 * After a gap this long between exchanges, it is unknown when the usage reported by other nodes
 * occurred.
 */
const SILENCE_MS = 10_000;

export interface ExchangeOptions {
  readonly store: Pick<AccessStore, 'exchangeUsage'>;
  /** Null while this node has no lease. */
  readonly nodeId: () => string | null;
  readonly limits: Limits;
  /** Digests of settings that must be equal on all nodes; exchanged along with the usage. */
  readonly fingerprints?: Fingerprints;
  readonly onExchange?: (ok: boolean) => void;
  readonly now?: () => number;
}

/**
 * Enforces one limit across many nodes: every second, each node reports what it has admitted, and
 * deducts from its own buckets what the others have admitted. Within that second, several nodes
 * together can admit too much; the excess becomes a debt, and less is admitted later. A node with
 * nothing new to report only reads.
 *
 * `start()` and `stop()` may be called twice and in any order.
 */
export class UsageExchange {
  readonly #options: ExchangeOptions;
  readonly #now: () => number;
  /** The other nodes' usage at the last exchange. */
  #others: ReadonlyMap<string, number> = new Map();
  #exchangedAt = Number.NEGATIVE_INFINITY;
  #reported = '';
  #nodeId: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | null = null;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.exchange(), EVERY_MS).unref();
  }

  /** Waits for any exchange in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
  }

  /** Runs one exchange, never two at once. If an exchange fails, the next one makes up for it. */
  exchange(): Promise<void> {
    this.#underWay ??= this.#exchange().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #exchange(): Promise<void> {
    const { limits, fingerprints, onExchange } = this.#options;
    const nodeId = this.#options.nodeId();
    if (nodeId === null) return;
    if (this.#nodeId !== nodeId) {
      limits.restart();
      this.#reported = '';
      this.#nodeId = nodeId;
    }
    try {
      const sums = await this.#report(nodeId, [...limits.used(), ...(fingerprints?.mine ?? [])]);
      this.#deduct(sums);
      fingerprints?.compare(sums);
      onExchange?.(true);
    } catch {
      // The database watch logs the outage.
      onExchange?.(false);
    }
  }

  async #report(nodeId: string, mine: readonly Usage[]): Promise<readonly Usage[]> {
    const text = JSON.stringify(mine);
    const changed = text === this.#reported ? null : mine;
    const sums = await this.#options.store.exchangeUsage(nodeId, changed);
    this.#reported = text;
    return sums;
  }

  #deduct(sums: readonly Usage[]): void {
    const now = this.#now();
    const isRecent = now - this.#exchangedAt < SILENCE_MS;
    const recent = sums
      .map(({ key, value }) => ({ key, value: value - (this.#others.get(key) ?? 0) }))
      .filter(({ value }) => isRecent && value > 0);
    this.#options.limits.usedElsewhere(recent, sums);
    this.#others = new Map(sums.map(({ key, value }) => [key, value]));
    this.#exchangedAt = now;
  }
}
