import type { AccessStore, Usage } from '../../access/access-store.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { Limits } from './limits.ts';

const EVERY_MS = 1000;
/** After a silence of so long it is not known when others used what they have used. */
const SILENCE_MS = 10_000;

export interface ExchangeOptions {
  readonly store: Pick<AccessStore, 'exchangeUsage'>;
  /** Of this node, while it has a lease. */
  readonly nodeId: () => string | null;
  readonly limits: Limits;
  /** Settings that all nodes must share; told along. */
  readonly fingerprints?: Fingerprints;
  readonly onExchange?: (ok: boolean) => void;
  readonly now?: () => number;
}

/**
 * Keeps one limit over many nodes: every second each tells what it has let pass, and takes what the
 * others have let pass from its own. What passes within that second on several nodes can be too much
 * together; it is owed, and so much less passes later. A node with nothing new to tell only listens.
 *
 * `start()` and `stop()` may be called twice and in any order.
 */
export class UsageExchange {
  readonly #options: ExchangeOptions;
  readonly #now: () => number;
  /** What others had used at the last exchange. */
  #heard: ReadonlyMap<string, number> = new Map();
  #heardAt = Number.NEGATIVE_INFINITY;
  #told = '';
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

  /** Waits for an exchange under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
  }

  /** One exchange; never two at once. A failure is made up for by the next. */
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
      this.#told = '';
      this.#nodeId = nodeId;
    }
    try {
      const sums = await this.#tell(nodeId, [...limits.used(), ...(fingerprints?.mine ?? [])]);
      this.#hear(sums);
      fingerprints?.compare(sums);
      onExchange?.(true);
    } catch {
      // Whoever watches the database says so.
      onExchange?.(false);
    }
  }

  async #tell(nodeId: string, mine: readonly Usage[]): Promise<readonly Usage[]> {
    const text = JSON.stringify(mine);
    const sums = await this.#options.store.exchangeUsage(nodeId, text === this.#told ? null : mine);
    this.#told = text;
    return sums;
  }

  #hear(sums: readonly Usage[]): void {
    const now = this.#now();
    const isKnown = now - this.#heardAt < SILENCE_MS;
    const lately = sums
      .map(({ key, value }) => ({ key, value: value - (this.#heard.get(key) ?? 0) }))
      .filter(({ value }) => isKnown && value > 0);
    this.#options.limits.usedElsewhere(lately, sums);
    this.#heard = new Map(sums.map(({ key, value }) => [key, value]));
    this.#heardAt = now;
  }
}
