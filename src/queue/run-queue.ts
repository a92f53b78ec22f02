import { z } from 'zod';
import { BatonError } from '../contract/errors.ts';
import type { LogEvent } from '../contract/event.ts';
import { defined } from '../contract/functions/defined.ts';
import { CancelKind, type Lane } from '../contract/lane.ts';
import { LaneSettings, type Run, type RunRequest, RunState } from '../contract/run.ts';
import type { Schedule, ScheduleChanges, ScheduleRequest } from '../contract/schedule.ts';
import { LaneId, newId, RunId } from '../contract/values/ids.ts';
import type { Json } from '../contract/values/json.ts';
import { admissionOf, checkPayload, payloadText } from './admission.ts';
import { Follower, type FollowOptions } from './follow/follower.ts';
import type { Growth } from './follow/growth.ts';
import type { Tail } from './follow/tail.ts';
import { type HandlerDefinition, Handlers } from './handlers.ts';
import { type Logger, SILENT } from './logger.ts';
import { parseInput } from './parse-input.ts';
import { type ScheduleFilter, Schedules } from './schedules/schedules.ts';
import type { Clock, Command, Counts, Receipt, RunFilter, Store } from './store.ts';
import type { AnyEvents } from './worker/attempt-context.ts';

/** The maximum number of rows in a response, and of runs in one call to `enqueue`. */
const PAGE_MAX = 1000;
const BATCH_MAX = 10_000;

const Limit = z.int().min(1).max(PAGE_MAX);
const Filter = z.strictObject({
  lane: LaneId.optional(),
  states: z.array(RunState).optional(),
  after: RunId.optional(),
  limit: Limit.optional(),
  newestFirst: z.boolean().optional(),
});
const EventRange = z.strictObject({
  after: z.int().min(0).optional(),
  limit: Limit.optional(),
  runId: RunId.optional(),
});
const TailRange = EventRange.omit({ limit: true });

export interface RunQueueOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Limits for tails, and how often the store is polled for them. */
  readonly follow?: FollowOptions;
}

export interface TailOptions {
  /** The last seq already seen; 0 starts at the beginning. */
  readonly after?: number;
  /** Only the events of this run; the tail ends after its `done`. */
  readonly runId?: string;
  readonly signal?: AbortSignal;
  /** Who reads: stored events are read for all readers in turn. */
  readonly reader?: string;
}

/**
 * The queue's API for programs: validates input and passes it to a store. A Worker executes its
 * runs; both share the registered types.
 */
export class RunQueue {
  readonly store: Store;
  readonly handlers = new Handlers();
  readonly log: Logger;
  readonly #clock: Clock;
  readonly #follower: Follower;
  readonly #schedules: Schedules;

  constructor(store: Store, options: RunQueueOptions = {}) {
    this.store = store;
    this.log = options.log ?? SILENT;
    this.#clock = options.clock ?? Date.now;
    this.#follower = new Follower(store, this.log, options.follow);
    this.#schedules = new Schedules(store, this.handlers, this.log);
  }

  /** Registers a type. Call this before a Worker of this queue starts. */
  register<Payload = Json, Events extends object = AnyEvents>(
    type: string,
    definition: HandlerDefinition<Payload, Events>,
  ): this {
    this.handlers.register(type, definition);
    return this;
  }

  /** Admits one run or several; several are admitted atomically. */
  enqueue(request: RunRequest): Promise<Receipt>;
  enqueue(requests: readonly RunRequest[]): Promise<Receipt[]>;
  async enqueue(input: RunRequest | readonly RunRequest[]): Promise<Receipt | Receipt[]> {
    const requests = Array.isArray(input) ? (input as readonly RunRequest[]) : null;
    if (requests === null) {
      const [receipt] = await this.#admit([input as RunRequest], () => '');
      if (receipt === undefined) throw new BatonError('internal', 'The store returned no receipt.');
      return receipt;
    }
    if (requests.length === 0) return [];
    if (requests.length > BATCH_MAX) {
      throw new BatonError(
        'invalid_request',
        `At most ${BATCH_MAX} runs can be enqueued at a time.`,
      );
    }
    return this.#admit(requests, (i) => `${i}.`);
  }

  async get(id: string): Promise<Run | null> {
    return RunId.safeParse(id).success ? this.store.get(id) : null;
  }

  async getLane(lane: string): Promise<Lane | null> {
    return LaneId.safeParse(lane).success ? this.store.getLane(lane) : null;
  }

  /** Ordered by age. */
  async list(filter: Partial<RunFilter> = {}): Promise<Run[]> {
    const { limit = 100, lane, states, after, newestFirst } = parseInput(Filter, filter);
    return this.store.list({ limit, ...defined({ lane, states, after, newestFirst }) });
  }

  /** The queued runs of a lane in the order they will start. */
  async listQueued(lane: string, limit = 100, after?: string): Promise<Run[]> {
    return this.store.listQueued(
      parseInput(LaneId, lane, 'lane'),
      parseInput(Limit, limit, 'limit'),
      after,
    );
  }

  counts(): Promise<Counts> {
    return this.store.counts();
  }

  /** The events of a lane, or of one run in it, after the given seq. */
  async events(
    lane: string,
    range: { after?: number; limit?: number; runId?: string } = {},
  ): Promise<LogEvent[]> {
    const { after = 0, limit = 100, runId } = parseInput(EventRange, range);
    return this.store.listAfter(parseInput(LaneId, lane, 'lane'), after, limit, runId);
  }

  /**
   * Follows the log of a lane (the lane need not exist yet): first the events stored after the
   * cursor, then new events, in order and exactly once. See `Tail` for how it ends.
   */
  tail(lane: string, options: TailOptions = {}): Tail {
    const { signal = null, reader = 'streams', ...range } = options;
    const { after = 0, runId = null } = parseInput(TailRange, range);
    return this.#follower.tail(parseInput(LaneId, lane, 'lane'), { after, runId, signal, reader });
  }

  /**
   * Yields the lanes of the whole queue that grow from now on; growth within a short time is
   * combined. `all` instead of a lane means that any lane may have grown. Hints are never repeated.
   */
  hints(
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncIterableIterator<Growth, void, void> {
    return this.#follower.hints(options.signal ?? null);
  }

  /** Makes readers of `hints` reload everything. */
  hintAll(): void {
    this.#follower.hintAll();
  }

  /** How many lanes this process follows, and how many tails are on them. */
  get following(): { lanes: number; tails: number } {
    return this.#follower.stats;
  }

  /**
   * If the run has not begun, cancels it immediately; otherwise asks its worker to stop it. Pass an
   * audited store as `through` to record who did it in the same transaction.
   */
  async cancel(
    id: string,
    kind: CancelKind = 'stop',
    through: Pick<Store, 'change'> = this.store,
  ): Promise<Run> {
    const how = parseInput(CancelKind, kind, 'kind');
    const run = await this.#changeRun({ do: 'cancel', run: id, kind: how }, through);
    const { type, lane, attempts: attempt } = run;
    const message = run.state === 'cancelled' ? 'Cancelled' : 'CancelRequested';
    this.log.info({ runId: id, type, lane, attempt }, message);
    return run;
  }

  /** Replaces the payload of a run that has not begun. */
  async edit(id: string, payload: Json): Promise<Run> {
    const run = await this.get(id);
    if (run === null) throw new BatonError('not_found');
    const text = payloadText(payload);
    checkPayload(this.handlers.get(run.type), payload);
    return this.#changeRun({ do: 'edit', run: id, payload: text });
  }

  /** Moves a queued run before another one in its lane; null moves it to the end. */
  move(id: string, before: string | null): Promise<Run> {
    return this.#changeRun({ do: 'move', run: id, before });
  }

  /** Removes a run that has not begun. */
  remove(id: string): Promise<Run> {
    return this.#changeRun({ do: 'remove', run: id });
  }

  /** Copies a finished run to the head of its lane. */
  retry(id: string): Promise<Run> {
    return this.#changeRun({ do: 'retry', run: id, newId: newId() });
  }

  /** Reports that the open question of a waiting run has been answered. */
  answer(id: string): Promise<Run> {
    return this.#changeRun({ do: 'answer', run: id });
  }

  /** The lane starts no run until it is resumed. */
  async hold(lane: string): Promise<void> {
    await this.store.change({ do: 'hold', lane: parseInput(LaneId, lane, 'lane') });
  }

  async resume(lane: string): Promise<void> {
    await this.store.change({ do: 'resume', lane: parseInput(LaneId, lane, 'lane') });
  }

  /** Changes a lane's settings; creates the lane if it does not exist. */
  async configure(lane: string, settings: LaneSettings): Promise<void> {
    const id = parseInput(LaneId, lane, 'lane');
    const parsed = parseInput(LaneSettings, settings);
    await this.store.change({ do: 'configure', lane: id, settings: parsed });
  }

  /** Removes runs that finished before the given time. `Purger` does this regularly. */
  purge(before: number, limit = PAGE_MAX): Promise<{ runs: number; lanes: number }> {
    return this.store.purge({ before, limit });
  }

  /**
   * Creates a schedule, or replaces the schedule with the same id. A `Scheduler` fires it: each
   * tick creates a run. A replacement with the same times keeps the next tick, and stays paused if
   * it was paused.
   */
  schedule(request: ScheduleRequest): Promise<Schedule> {
    return this.#schedules.put(request);
  }

  /** Ordered by id. */
  schedules(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    return this.#schedules.list(filter);
  }

  getSchedule(id: string): Promise<Schedule | null> {
    return this.#schedules.get(id);
  }

  /** New times apply from now on; a tick at an old time is dropped if it has not fired yet. */
  editSchedule(id: string, changes: ScheduleChanges): Promise<Schedule> {
    return this.#schedules.edit(id, changes);
  }

  pauseSchedule(id: string): Promise<Schedule> {
    return this.#schedules.pause(id);
  }

  /** Continues with the next tick; ticks that passed during the pause are skipped. */
  resumeSchedule(id: string): Promise<Schedule> {
    return this.#schedules.resume(id);
  }

  /** Removes a schedule, but not the runs that it created. */
  removeSchedule(id: string): Promise<void> {
    return this.#schedules.remove(id);
  }

  /** The next times at which a schedule fires. */
  nextTimes(id: string, count = 5): Promise<number[]> {
    return this.#schedules.nextTimes(id, count);
  }

  /** Ends all tails. Stop the workers first. Safe to call twice. */
  async close(): Promise<void> {
    await this.#follower.close();
    await this.store.close();
  }

  async #admit(requests: readonly RunRequest[], at: (i: number) => string): Promise<Receipt[]> {
    const now = this.#clock();
    const admissions = requests.map((request, i) =>
      admissionOf(request, this.handlers, now, at(i)),
    );
    const receipts = await this.store.enqueue(admissions);
    if (this.log === SILENT) return receipts;
    for (const [i, { id, lane, known }] of receipts.entries()) {
      const type = admissions[i]?.type;
      if (!known) this.log.info({ runId: id, type, lane }, 'Enqueued');
    }
    return receipts;
  }

  async #changeRun(
    command: Exclude<Command, { lane: string }>,
    store: Pick<Store, 'change'> = this.store,
  ): Promise<Run> {
    const before = command.do === 'move' ? command.before : null;
    const known = RunId.safeParse(command.run).success;
    if (!known || (before !== null && !RunId.safeParse(before).success)) {
      throw new BatonError('not_found');
    }
    const run = await store.change(command);
    if (run === null) throw new BatonError('not_found');
    return run;
  }
}
