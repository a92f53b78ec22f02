import { expect } from 'vitest';
import type { Lane } from '../../contract/lane.ts';
import type { NodeInfo } from '../../contract/node.ts';
import type { ErrorClass, Outcome } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Json } from '../../contract/values/json.ts';
import type { Hint } from '../hint.ts';
import type {
  Admission,
  AttemptWrite,
  ClaimedRun,
  ClaimRequest,
  Command,
  Receipt,
  Store,
} from '../store.ts';

/** One test of the suite; the title begins with its rule. */
export type Rule = (title: string, body: (rig: Rig) => Promise<void>) => void;

export const START = Date.UTC(2026, 0, 1);
export const LEASE_MS = 30_000;

export type NewRun = Partial<Omit<Admission, 'payload'>> & { readonly payload?: Json };

export const SUCCEEDED: Outcome = { kind: 'succeeded', result: null };
export const failed = (errorClass: ErrorClass, message = 'no'): Outcome => ({
  kind: 'failed',
  error: { class: errorClass, message },
});

export function admission({ payload = null, ...rest }: NewRun = {}): Admission {
  return {
    id: newId(),
    type: 'task',
    payload: JSON.stringify(payload),
    lane: null,
    owner: '',
    runAt: null,
    delayMs: null,
    maxAttempts: 5,
    idempotencyKey: null,
    bodyHash: null,
    onBusy: 'enqueue',
    ...rest,
  };
}

/** A store under test with a manually advanced clock, and short forms of the calls. */
export class Rig {
  now = START;
  readonly store: Store;

  private constructor(store: Store, clock: { now: number }) {
    this.store = store;
    Object.defineProperty(this, 'now', {
      get: () => clock.now,
      set: (value: number) => {
        clock.now = value;
      },
    });
  }

  static async open(open: (clock: () => number) => Promise<Store>): Promise<Rig> {
    const clock = { now: START };
    return new Rig(await open(() => clock.now), clock);
  }

  advance(ms: number): void {
    this.now += ms;
  }

  /** Joins a node. */
  async node(
    id = 'node-1',
    {
      types = ['task'],
      capacity = 1000,
      host = 'host-1',
      leaseMs = LEASE_MS,
      roles = ['worker'] as NodeInfo['roles'],
    } = {},
  ): Promise<string> {
    const identity = { bootId: 'boot', pidNamespace: 'pid:1', pid: 7, pidStart: '1' };
    await this.store.join(
      { id, host, ...identity, roles, types, capacity, version: '0.0.0' },
      leaseMs,
    );
    return id;
  }

  async enqueue(run: NewRun = {}): Promise<Receipt> {
    const [receipt] = await this.store.enqueue([admission(run)]);
    return receipt as Receipt;
  }

  /** Enqueues several equal runs. */
  async enqueueMany(count: number, run: NewRun = {}): Promise<string[]> {
    const receipts = await this.store.enqueue(Array.from({ length: count }, () => admission(run)));
    return receipts.map(({ id }) => id);
  }

  claim(request: Partial<ClaimRequest> = {}): Promise<ClaimedRun[]> {
    return this.store.claim({
      nodeId: 'node-1',
      types: ['task'],
      limit: 100,
      caps: { types: {}, perOwner: null },
      ...request,
    });
  }

  async claimIds(request: Partial<ClaimRequest> = {}): Promise<string[]> {
    return (await this.claim(request)).map(({ run }) => run.id);
  }

  /** Claims exactly one run. */
  async claimOne(request: Partial<ClaimRequest> = {}): Promise<ClaimedRun> {
    const claimed = await this.claim({ limit: 1, ...request });
    expect(claimed).toHaveLength(1);
    return claimed[0] as ClaimedRun;
  }

  /** Claims one run and starts it. */
  async begin(request: Partial<ClaimRequest> = {}): Promise<ClaimedRun> {
    const claimed = await this.claimOne(request);
    expect(await this.write(claimed, { start: true })).toBe(true);
    return claimed;
  }

  async write(claimed: ClaimedRun, rest: Omit<AttemptWrite, 'lane' | 'fence'>): Promise<boolean> {
    const { run, fence } = claimed;
    const [answer] = await this.store.write([{ lane: run.lane, fence, ...rest }]);
    return answer as boolean;
  }

  end(claimed: ClaimedRun, outcome: Outcome = SUCCEEDED, retryDelayMs = 1000): Promise<boolean> {
    return this.write(claimed, { end: { outcome, retryDelayMs } });
  }

  /** Starts a claimed run and ends it. */
  finish(claimed: ClaimedRun, outcome: Outcome = SUCCEEDED): Promise<boolean> {
    return this.write(claimed, { start: true, end: { outcome, retryDelayMs: 1000 } });
  }

  change(command: Command): Promise<Run | null> {
    return this.store.change(command);
  }

  cancel(run: string, kind: 'stop' | 'interrupt' = 'stop'): Promise<Run | null> {
    return this.change({ do: 'cancel', run, kind });
  }

  async run(id: string): Promise<Run> {
    const run = await this.store.get(id);
    expect(run, `run ${id}`).not.toBeNull();
    return run as Run;
  }

  async lane(id: string): Promise<Lane> {
    const lane = await this.store.getLane(id);
    expect(lane, `lane ${id}`).not.toBeNull();
    return lane as Lane;
  }

  async queued(lane: string): Promise<string[]> {
    return (await this.store.listQueued(lane, 1000)).map(({ id }) => id);
  }

  /** The types of a lane's events, or of one run's. */
  async eventTypes(lane: string, runId?: string): Promise<string[]> {
    return (await this.store.listAfter(lane, 0, 1000, runId)).map(({ type }) => type);
  }

  async counts(): Promise<Partial<Record<string, number>>> {
    const all = Object.entries(await this.store.counts());
    return Object.fromEntries(all.filter(([, count]) => count !== 0));
  }

  /**
   * Resolves with the first hint of the topic. Call it before the operation that causes the hint.
   */
  hintOf(topic: string): Promise<Hint> {
    return this.hint(({ topics }) => topics.includes(topic));
  }

  /**
   * Resolves with the first hint that matches. Call it before the operation that causes the hint.
   */
  hint(fits: (hint: Hint) => boolean): Promise<Hint> {
    return new Promise((resolve) => {
      const stop = this.store.onHint((hint) => {
        if (!fits(hint)) return;
        stop();
        resolve(hint);
      });
    });
  }
}

/** Matches an error with this code. */
export const refused = (code: string): unknown => expect.objectContaining({ code });
