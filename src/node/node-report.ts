import { availableParallelism, loadavg } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { AccessStore } from '../access/access-store.ts';
import type { NodeLoad } from '../contract/node.ts';
import type { Logger } from '../queue/logger.ts';
import { isTransient } from '../queue/membership/database-watch.ts';

const EVERY_MS = 5000;
/** The sampling interval for the event loop's delay. */
const RESOLUTION_MS = 20;

export interface NodeReportOptions {
  readonly store: Pick<AccessStore, 'saveLoad'>;
  /** Null while this node has no lease. */
  readonly nodeId: () => string | null;
  readonly streams: () => number;
  readonly log: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
}

/**
 * Stores this node's load in the database every few seconds, for the list of nodes. Nothing depends
 * on it: a failed report is replaced by the next one.
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
    this.#timer = setInterval(() => void this.send(), this.#options.everyMs ?? EVERY_MS).unref();
    void this.send();
  }

  /** Waits for any report in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#delay?.disable();
    await this.#underWay;
  }

  /**
   * Sends a report, but never two at once. Never rejects: a failed report must not crash the
   * process.
   */
  send(): Promise<void> {
    this.#underWay ??= this.#send().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #send(): Promise<void> {
    const { store, log } = this.#options;
    const nodeId = this.#options.nodeId();
    if (nodeId === null) return;
    try {
      // Inside `try`, because reading the memory usage opens a file, which fails if too many files
      // are open.
      await store.saveLoad(nodeId, this.#load());
    } catch (err) {
      // If the database is unavailable, the database watch logs the outage.
      if (!isTransient(err)) log.warn({ err }, 'Could not report the load on this node');
    }
  }

  #load(): Omit<NodeLoad, 'at'> {
    const lateNs = this.#delay?.percentile(99) ?? 0;
    this.#delay?.reset();
    return {
      cpu: round((loadavg()[0] ?? 0) / availableParallelism()),
      memoryBytes: process.memoryUsage.rss(),
      // The histogram measures from tick to tick, so the sampling interval is subtracted.
      eventLoopDelayMs: round(Math.max(0, lateNs / 1e6 - RESOLUTION_MS)),
      streams: this.#options.streams(),
    };
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
