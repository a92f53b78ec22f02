import { availableParallelism, loadavg } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { AccessStore } from '../access/access-store.ts';
import type { NodeLoad } from '../contract/node.ts';
import type { Logger } from '../queue/logger.ts';
import { isTransient } from '../queue/node/database-watch.ts';

const EVERY_MS = 5000;
/** How closely the event loop is looked at. */
const RESOLUTION_MS = 20;

export interface NodeReportOptions {
  readonly store: Pick<AccessStore, 'saveLoad'>;
  /** Of this node, while it has a lease. */
  readonly nodeId: () => string | null;
  readonly streams: () => number;
  readonly log: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
}

/**
 * Tells the database every few seconds how this node is doing, for the list of nodes. Nothing waits
 * for it: what could not be told is told next time.
 *
 * `start()` and `stop()` may be called twice and in any order.
 */
export class NodeReport {
  readonly #options: NodeReportOptions;
  #delay: IntervalHistogram | null = null;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | null = null;

  constructor(options: NodeReportOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#timer = setInterval(() => void this.tell(), this.#options.everyMs ?? EVERY_MS).unref();
    void this.tell();
  }

  /** Waits for a report under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#delay?.disable();
    await this.#underWay;
  }

  /** One report; never two at once. Never rejects: no report is worth the process. */
  tell(): Promise<void> {
    this.#underWay ??= this.#tell().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #tell(): Promise<void> {
    const { store, log } = this.#options;
    const nodeId = this.#options.nodeId();
    if (nodeId === null) return;
    try {
      // Reading the memory in use opens a file, which fails if too many are open.
      await store.saveLoad(nodeId, this.#load());
    } catch (err) {
      // If the database is away, its watch logs that.
      if (!isTransient(err)) log.warn({ err }, 'The load of this node was not reported');
    }
  }

  #load(): Omit<NodeLoad, 'at'> {
    const lateNs = this.#delay?.percentile(99) ?? 0;
    this.#delay?.reset();
    return {
      cpu: round((loadavg()[0] ?? 0) / availableParallelism()),
      memoryBytes: process.memoryUsage.rss(),
      // It measures from tick to tick, of which the resolution is no delay.
      eventLoopDelayMs: round(Math.max(0, lateNs / 1e6 - RESOLUTION_MS)),
      streams: this.#options.streams(),
    };
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
