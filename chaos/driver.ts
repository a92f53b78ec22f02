import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, type ErrorCode, type RunQueue, type RunRequest } from '../src/library.ts';
import { seeded } from '../test/support/seeded.ts';
import type { Request } from './check/evidence.ts';
import {
  HELD_LANES,
  hostOptionsOf,
  LANES,
  messageOf,
  OWNERS,
  UNSTEADY,
  type Work,
} from './setup.ts';

/** Expected refusals: the operation came too late for its run, or its lane cannot do it. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'run_not_queued',
  'run_finished',
  'run_not_finished',
  'run_not_waiting',
  'not_found',
  'invalid_request',
  'lane_busy',
]);

/** Statements that timed out waiting for a stopped process; the caller may try again. */
const isTimeout = (error: BatonError): boolean => {
  const state = (error.details as { sqlState?: string } | undefined)?.sqlState;
  return error.code === 'database_failed' && (state === '55P03' || state === '57014');
};

const KINDS: readonly (readonly [Work['kind'], number])[] = [
  ['plain', 30],
  ['flaky', 10],
  ['final', 5],
  ['emits', 20],
  ['asks', 8],
  ['commits', 8],
  ['parks', 5],
  ['returns', 6],
  ['deaf', 8],
];

/** The driver waits while there are more operations under way or more unended runs than these. */
const MOST_UNDER_WAY = 30;
const MOST_UNENDED = 400;
const RECENT = 300;

interface MutableRequest extends Request {
  readonly acknowledged: string[];
  readonly request: RunRequest;
}

/** Uses the queue as many programs at once would, with all its commands, at a bounded rate. */
export class Driver {
  readonly requests: MutableRequest[] = [];
  readonly removed: string[] = [];
  readonly retried: string[] = [];
  readonly errors: string[] = [];
  readonly #queue: RunQueue;
  readonly #random: () => number;
  readonly #underWay = new Set<Promise<unknown>>();
  #recent: string[] = [];
  #stopped = false;
  #unended = 0;

  constructor(queue: RunQueue, seed: number) {
    this.#queue = queue;
    this.#random = seeded(seed + 2);
  }

  async prepare(): Promise<void> {
    for (const [i, lane] of LANES.entries()) {
      await this.#queue.configure(lane, {
        owner: `owner-${i % OWNERS}`,
        holdOnFailure: i % 6 === 0,
        ...hostOptionsOf(i),
      });
    }
    for (const lane of HELD_LANES) {
      await this.#queue.configure(lane, { owner: 'owner-0' });
      await this.#queue.hold(lane);
    }
  }

  /** Does about `rate` operations per second until `stop`. */
  async run(rate: number): Promise<void> {
    const beside = [this.#answer(), this.#resume(), this.#count()];
    while (!this.#stopped) {
      await delay((this.#random() * 2000) / rate);
      if (this.#underWay.size < MOST_UNDER_WAY) this.#begin(this.#pick());
    }
    await Promise.all([...beside, ...this.#underWay]);
  }

  stop(): void {
    this.#stopped = true;
  }

  #begin(operation: Promise<unknown>): void {
    const done = operation.catch((error: unknown) => this.#met(error));
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
  }

  #met(error: unknown): void {
    if (error instanceof BatonError) {
      if (error.code === 'database_unreachable' || REFUSALS.has(error.code)) return;
      if (isTimeout(error)) return;
    }
    this.errors.push(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
  }

  /** Draws all random numbers before it awaits anything, so a seed always gives the same sequence. */
  #pick(): Promise<unknown> {
    const queue = this.#queue;
    const [one, other] = [this.#anyRun(), this.#anyRun()];
    const draw = this.#random() * 100;
    if (draw < 63) return this.#enqueue();
    if (draw < 68) return this.#enqueueBatch();
    if (draw < 74) return queue.cancel(one, this.#random() < 0.8 ? 'stop' : 'interrupt');
    if (draw < 78) return this.#edit(one);
    if (draw < 80) return queue.move(one, other);
    if (draw < 82) return queue.move(one, null);
    if (draw < 84) return this.#remove(one);
    if (draw < 88) return this.#retry(one);
    if (draw < 90) return queue.hold(this.#anyLane());
    if (draw < 95) return this.#repeat();
    if (draw < 97) return this.#misuse();
    if (draw < 98) return queue.listQueued(this.#anyLane());
    return this.#random() < 0.5 ? queue.pauseSchedule(UNSTEADY) : queue.resumeSchedule(UNSTEADY);
  }

  #anyLane(): string {
    return LANES[Math.floor(this.#random() * LANES.length)]!;
  }

  #anyRun(): string {
    return this.#recent[Math.floor(this.#random() * this.#recent.length)] ?? 'none';
  }

  #enqueue(): Promise<void> {
    const random = this.#random;
    const n = this.requests.length;
    const draw = random();
    const lane = draw < 0.01 ? HELD_LANES[n % 2]! : this.#anyLane();
    const key = random() < 0.4 ? `key-${n}` : null;
    const late = random();
    const delayMs = late < 0.1 ? Math.floor(random() * 2000) : late < 0.103 ? 3_600_000 : null;
    const busy = random();
    const onBusy =
      busy < 0.015 && delayMs === null ? 'interrupt' : busy < 0.03 ? 'reject' : 'enqueue';
    const request: RunRequest = {
      type: random() < 0.4 ? 'agent' : 'step',
      payload: this.#work(n),
      lane,
      onBusy,
      ...(key === null ? {} : { idempotencyKey: key }),
      ...(delayMs === null ? {} : { delayMs }),
    };
    const interrupt = onBusy === 'interrupt';
    const entry = { n, key, interrupt, batch: null, acknowledged: [], request };
    this.requests.push(entry);
    if (this.#unended > MOST_UNENDED) return Promise.resolve();
    return this.#send([entry]);
  }

  /** A few runs in one call, with keys for all or none, so it is known whether the call may be repeated. */
  #enqueueBatch(): Promise<void> {
    const random = this.#random;
    const batch = this.requests.length;
    const keyed = random() < 0.5;
    const entries = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, i) => {
      const n = batch + i;
      const key = keyed ? `key-${n}` : null;
      const request: RunRequest = {
        type: random() < 0.4 ? 'agent' : 'step',
        payload: this.#work(n),
        lane: this.#anyLane(),
        ...(key === null ? {} : { idempotencyKey: key }),
      };
      return { n, key, interrupt: false, batch, acknowledged: [], request };
    });
    this.requests.push(...entries);
    if (this.#unended > MOST_UNENDED) return Promise.resolve();
    return this.#send(entries);
  }

  #work(n: number): { n: number; ms: number; kind: Work['kind'] } {
    const random = this.#random;
    let draw = random() * 100;
    const kind = KINDS.find(([, weight]) => {
      draw -= weight;
      return draw < 0;
    })!;
    const ms = random() < 0.03 ? 300 + random() * 900 : random() * 60;
    return { n, ms: Math.round(ms), kind: kind[0] };
  }

  /** A request with a key is repeated until it is answered, because it may or may not have succeeded. */
  async #send(entries: readonly MutableRequest[]): Promise<void> {
    const keyed = entries.every(({ key }) => key !== null);
    for (;;) {
      try {
        const receipts = await this.#queue.enqueue(entries.map(({ request }) => request));
        for (const [i, { id }] of receipts.entries()) {
          entries[i]!.acknowledged.push(id);
          this.#recent.push(id);
        }
        if (this.#recent.length > RECENT) this.#recent = this.#recent.slice(RECENT / 2);
        return;
      } catch (error) {
        const again =
          error instanceof BatonError &&
          (error.code === 'database_unreachable' || isTimeout(error));
        if (!keyed || !again) throw error;
        await delay(100);
      }
    }
  }

  /** Repeats an acknowledged request, but not one that may have been removed or refused. */
  async #repeat(): Promise<void> {
    const entry = this.#anyKeyed();
    if (entry === undefined) return;
    const { id, known } = await this.#queue.enqueue(entry.request);
    if (!known && this.removed.includes(entry.acknowledged[0]!)) {
      // The run was removed together with its key, so this is a new run.
      entry.acknowledged[0] = id;
    } else entry.acknowledged.push(id);
  }

  /** The same key with another body must be refused. */
  async #misuse(): Promise<void> {
    const entry = this.#anyKeyed();
    if (entry === undefined || this.removed.includes(entry.acknowledged[0]!)) return;
    try {
      await this.#queue.enqueue({ ...entry.request, payload: { n: -1, ms: 0, kind: 'plain' } });
    } catch (error) {
      if (error instanceof BatonError && error.code === 'idempotency_conflict') return;
      throw error;
    }
    if (!this.removed.includes(entry.acknowledged[0]!)) {
      this.errors.push(`key ${entry.key} was accepted with another body`);
    }
  }

  #anyKeyed(): MutableRequest | undefined {
    const from = this.requests.length - 1 - Math.floor(this.#random() * RECENT);
    const entry = this.requests[from];
    return entry?.key != null && entry.acknowledged.length > 0 ? entry : undefined;
  }

  async #edit(id: string): Promise<void> {
    const draw = Math.floor(this.#random() * 60);
    const run = await this.#queue.get(id);
    if (run === null) return;
    await this.#queue.edit(id, { ...(run.payload as Record<string, number | string>), ms: draw });
  }

  /** Recorded before the call: without an answer the run may still have been removed. */
  async #remove(id: string): Promise<void> {
    // The key of a removed run may be used again, and would then be ambiguous.
    const keyed = this.requests.some((one) => one.key !== null && one.acknowledged.includes(id));
    if (keyed) return;
    this.removed.push(id);
    await this.#queue.remove(id);
  }

  async #retry(id: string): Promise<void> {
    const run = await this.#queue.retry(id);
    this.retried.push(run.id);
    this.#recent.push(run.id);
  }

  /** Answers open questions after various delays. */
  async #answer(): Promise<void> {
    while (!this.#stopped) {
      await delay(200);
      const share = this.#random();
      const waiting = await this.#queue.list({ states: ['waiting'] }).catch(() => []);
      for (const [i, run] of waiting.entries()) {
        if ((i * 0.37 + share) % 1 < 0.5) this.#begin(this.#queue.answer(run.id));
      }
    }
  }

  /** Resumes lanes some time after a command or a failure held them. */
  async #resume(): Promise<void> {
    for (let i = 0; !this.#stopped; i++) {
      await delay(40);
      if (this.#underWay.size < MOST_UNDER_WAY) {
        this.#begin(this.#queue.resume(LANES[i % LANES.length]!));
      }
    }
  }

  async #count(): Promise<void> {
    while (!this.#stopped) {
      await delay(500);
      const counts = await this.#queue.counts().catch(() => null);
      if (counts === null) continue;
      const { queued, dequeued, running, waiting, retry_scheduled } = counts;
      this.#unended = queued + dequeued + running + waiting + retry_scheduled;
    }
  }
}
