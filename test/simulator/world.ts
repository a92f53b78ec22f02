import type { Checker } from './checker.ts';
import { Random, TraceHash } from './random.ts';
import type { Record } from './record.ts';
import type { SimStore } from './sim-store.ts';
import type { Story } from './step.ts';
import type { SimWorker } from './worker.ts';

export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;
/** The share of a lease that a worker does not trust; see lease-renewal.ts. */
export const MARGIN_MS = LEASE_MS / 10;

const BEGINNING = 1_000_000;

/** A request that is still on its way to the store although its sender is gone. */
export type LateRequest = () => Promise<unknown>;

/** The state of one story: true time, the store's clock, the workers and requests in flight. */
export class World {
  readonly story: Story;
  readonly random: Random;
  readonly trace = new TraceHash();
  /** Milliseconds of true time, which never jumps. */
  now = BEGINNING;
  readonly workers: SimWorker[] = [];
  /** Live processes; workers on the same host can prove that any other is dead. */
  readonly pids = new Set<number>();
  readonly late: LateRequest[] = [];
  /** The installation is stopped. */
  stopped = false;
  sim!: SimStore;
  record!: Record;
  checker!: Checker;
  /** How far the store's clock was ahead of true time, after each of its jumps. */
  readonly #offsets: number[] = [0];
  #latest = BEGINNING;
  #ids = 0;

  constructor(story: Story) {
    this.story = story;
    // For values drawn while the story runs: delays and payloads, never the next step.
    this.random = new Random(story.seed ^ 0x5bd1e995);
  }

  get offset(): number {
    return this.#offsets.at(-1) ?? 0;
  }

  /** The store's clock. */
  readonly clock = (): number => {
    const now = this.now + this.offset;
    if (now > this.#latest) this.#latest = now;
    return now;
  };

  /** The latest time that the store's clock has shown. */
  get latest(): number {
    this.clock();
    return this.#latest;
  }

  jump(ms: number): void {
    this.#offsets.push(this.offset + ms);
  }

  get jumps(): number {
    return this.#offsets.length;
  }

  /** How far the store's clock ran ahead since its `jumps`-th jump. */
  driftSince(jumps: number): number {
    const base = this.#offsets[jumps - 1] ?? 0;
    return Math.max(0, ...this.#offsets.slice(jumps).map((offset) => offset - base));
  }

  number(): number {
    return ++this.#ids;
  }
}
