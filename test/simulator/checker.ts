import { isBatonError } from '../../src/contract/errors.ts';
import type { Lane } from '../../src/contract/lane.ts';
import type { NodeRecord } from '../../src/contract/node.ts';
import { isTerminal, type Run, type RunState } from '../../src/contract/run.ts';
import type { AttemptWrite, ClaimedRun, ClaimRequest, Store } from '../../src/queue/store.ts';
import { must } from './broken.ts';
import { checkCaps, checkLaneRow, checkOverlap, checkStopped } from './checks.ts';
import { Fairness, runnable } from './fairness.ts';
import { Hints } from './hints.ts';
import { LaneWatch } from './lane-watch.ts';
import { checkCounts, RunWatch } from './run-watch.ts';
import type { Outcome } from './sim-store.ts';
import type { Step } from './step.ts';
import type { World } from './world.ts';

/** Errors that a caller may get from a correct store. */
const REFUSALS = [
  'database_unreachable',
  'disk_full',
  'lane_busy',
  'idempotency_conflict',
  'invalid_request',
  'node_lost',
  'not_found',
  'run_finished',
  'run_not_finished',
  'run_not_queued',
  'run_not_waiting',
] as const;

/** Lanes of a single finished run are only checked this often, to save time. */
const WHOLE_EVERY = 16;

/** What the store shows after a step. */
export interface View {
  readonly runs: readonly Run[];
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
}

/**
 * Reads the store through its port after every step, and compares it with the committed requests
 * (record.ts) and with the workers.
 */
export class Checker {
  readonly #world: World;
  readonly #watches = new Map<string, LaneWatch>();
  readonly #runs = new RunWatch();
  readonly #fairness = new Fairness();
  readonly #hints = new Hints();
  readonly #resting = new Set<string>();
  #view: View = { runs: [], lanes: new Map(), nodes: new Map() };
  #claim: { request: ClaimRequest; host: string; value: readonly ClaimedRun[] } | null = null;
  #lastFence = 0;
  #calls = 0;
  #lost = 0;
  #checks = 0;

  constructor(world: World) {
    this.#world = world;
    world.sim.store.onHint(this.#hints.hear);
  }

  get #store(): Store {
    return this.#world.sim.store;
  }

  get view(): View {
    return this.#view;
  }

  /** Any error that is not one of the catalogue's refusals is a bug. */
  expectNoSurprise(error: unknown): void {
    const known = error === undefined || REFUSALS.some((code) => isBatonError(error, code));
    must(known, 'the store fails only with known errors', () =>
      String((error as Error).stack ?? error),
    );
  }

  claimed(request: ClaimRequest, host: string, value: readonly ClaimedRun[] | undefined): void {
    for (const { fence } of value ?? []) {
      must(fence > this.#lastFence, 'fences increase', () => `${fence} after ${this.#lastFence}`);
      this.#lastFence = fence;
    }
    this.#claim = value === undefined ? null : { request, host, value };
  }

  async lanesOf(writes: readonly AttemptWrite[]): Promise<(Lane | null)[]> {
    return Promise.all(writes.map(({ lane }) => this.#store.getLane(lane)));
  }

  /** A write under the lane's fence is applied, one under an outdated fence changes nothing. */
  async wrote(
    writes: readonly AttemptWrite[],
    before: readonly (Lane | null)[],
    { committed, value }: Outcome<boolean[]>,
  ): Promise<void> {
    // A batch may contain writes of two attempts on one lane; nothing follows an end.
    const ended = new Set<string>();
    const unchanged = new Map<string, Lane>();
    for (const lane of before) if (lane !== null) unchanged.set(lane.id, lane);
    for (const [i, write] of writes.entries()) {
      const lane = before[i] ?? null;
      const fresh = lane !== null && lane.fence === write.fence && !ended.has(write.lane);
      if (fresh && write.end !== undefined) ended.add(write.lane);
      else if (ended.has(write.lane)) continue;
      if (value !== undefined) {
        must(
          value[i] === fresh,
          'an outdated fence is refused',
          () => `${write.lane}: fence ${write.fence}, stored ${lane?.fence}, answer ${value[i]}`,
        );
      }
      if (fresh && committed) {
        unchanged.delete(write.lane);
        const done = write.no !== undefined && write.no <= lane.lastWrite;
        for (const { payload } of done ? [] : (write.events ?? [])) {
          this.#world.record.written.add((payload as { n: number }).n);
        }
      }
    }
    for (const [id, lane] of unchanged) {
      const after = await this.#store.getLane(id);
      must(
        JSON.stringify(after) === JSON.stringify(lane),
        'an outdated fence changes nothing',
        () => `${JSON.stringify(lane)} became ${JSON.stringify(after)}`,
      );
    }
  }

  async check(): Promise<void> {
    checkOverlap(this.#world);
    const { calls } = this.#world.sim;
    if (calls === this.#calls) return;
    this.#calls = calls;
    const { record } = this.#world;
    const store = this.#store;
    const before = this.#view;
    const runs = await store.list({ limit: 10_000 });
    const lanes = new Map<string, Lane>();
    const whole = ++this.#checks % WHOLE_EVERY === 0;
    for (const id of record.lanes) {
      if (!whole && this.#resting.has(id) && !record.named.has(id)) continue;
      const lane = await store.getLane(id);
      if (lane !== null) lanes.set(id, lane);
    }
    record.named.clear();
    const nodes = new Map((await store.listNodes()).map((node) => [node.id, node]));
    this.#view = { runs, lanes, nodes };
    const started: string[] = [];
    for (const lane of lanes.values()) {
      await this.#checkLane(lane, started);
      if (lane.state === 'idle' && this.#runs.hasEnded(lane.id)) this.#resting.add(lane.id);
      else this.#resting.delete(lane.id);
    }
    must(record.written.size === 0, 'an acknowledged event is in the log', () =>
      [...record.written].join(),
    );
    this.#runs.check(runs, record, this.#watches);
    checkCounts(runs, await store.counts());
    checkCaps(this.#view, this.#world.story);
    if (this.#world.stopped) checkStopped(before, this.#view);
    this.#checkClaim();
    this.#hints.check(before, this.#view, this.#world.sim.lost > this.#lost);
    this.#lost = this.#world.sim.lost;
    this.#fairness.check(before, this.#view, started, this.#world.story.caps);
  }

  /** Runs that the command fits. */
  runsFor(what: Step['do']): string[] {
    const fits = (state: RunState): boolean => {
      if (what === 'retry') return isTerminal(state);
      if (what === 'answer') return state === 'waiting';
      if (what === 'cancel') return !isTerminal(state);
      return state === 'queued';
    };
    return this.#view.runs.filter(({ state }) => fits(state)).map(({ id }) => id);
  }

  queuedWith(run: string): readonly string[] {
    return this.#watches.get(this.#world.record.runs.get(run)?.lane ?? '')?.order ?? [];
  }

  heldLanes(): string[] {
    return [...this.#view.lanes.values()].filter(({ held }) => held).map(({ id }) => id);
  }

  async #checkLane(lane: Lane, started: string[]): Promise<void> {
    let watch = this.#watches.get(lane.id);
    if (watch === undefined) {
      watch = new LaneWatch(lane.id, this.#world.record);
      this.#watches.set(lane.id, watch);
    }
    const changed = lane.nextSeq !== watch.lastSeq + 1;
    if (changed) {
      const byId = new Map(this.#view.runs.map((run) => [run.id, run]));
      const rules = {
        latest: this.#world.latest,
        notBefore: (id: string) => byId.get(id)?.runAt ?? 0,
      };
      for (const event of await this.#store.listAfter(lane.id, watch.lastSeq, 10_000)) {
        watch.apply(event, rules);
        if (event.type === 'run.dequeued') started.push(event.runId ?? '');
        this.#world.trace.add(`${event.lane} ${event.seq} ${event.type} ${event.runId}`);
      }
    }
    must(
      lane.nextSeq === watch.lastSeq + 1,
      'seq without gaps',
      () => `${lane.id}: the next is ${lane.nextSeq}, the last was ${watch.lastSeq}`,
    );
    // Every change of a lane's order is in its log.
    if (changed && (lane.queued > 0 || watch.order.length > 0)) await this.#checkOrder(lane, watch);
    checkLaneRow(lane, watch, this.#view);
  }

  async #checkOrder(lane: Lane, watch: LaneWatch): Promise<void> {
    const queued = (await this.#store.listQueued(lane.id, 1000)).map(({ id }) => id);
    must(
      queued.join() === watch.order.join(),
      'the queue of a lane is in order',
      () => `${lane.id}: ${queued}, not ${watch.order}`,
    );
  }

  /** A claim that returns nothing must leave nothing claimable. */
  #checkClaim(): void {
    const claim = this.#claim;
    this.#claim = null;
    if (claim === null || claim.value.length > 0 || this.#world.stopped) return;
    const { request, host } = claim;
    const left = runnable(this.#view, request, host, this.#world.story);
    must(
      left.length === 0,
      'a runnable lane is started',
      () => `${left.map(({ id }) => id)} for ${request.nodeId} on ${host}`,
    );
  }
}
