import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError, isBatonError } from '../../contract/errors.ts';
import type { NodeInfo, NodeRecord } from '../../contract/node.ts';
import { Coalescer } from '../coalescer.ts';
import { AbortReason } from '../handler-result.ts';
import { READY } from '../hint.ts';
import { DatabaseWatch } from '../membership/database-watch.ts';
import { findOtherMachine } from '../membership/host-guard.ts';
import { Membership } from '../membership/membership.ts';
import { ProblemLog } from '../membership/problem-log.ts';
import { Takeover } from '../membership/takeover.ts';
import type { ClaimedRun, HeldLane, Poll } from '../store.ts';
import { Attempt, nextStamp } from './attempt.ts';
import { execute, handBackUnstarted } from './executor.ts';
import type { RunningAttempts } from './running-attempts.ts';
import type { Settings } from './worker-settings.ts';

/** How long a stopping worker waits for the database to record that it left. */
const LEAVE_MS = 5000;

/** Reports queued types that no live node handles (Q17). */
const UNHANDLED = {
  field: 'types',
  problem: 'No live node handles these types of queued runs',
  recovered: 'Every type of queued run is handled by a live node again',
};

/** Reports hosts that have ready lanes pinned to them but no live worker (Q23). */
const STRANDED = {
  field: 'hosts',
  problem:
    'Runs are waiting for hosts without a live worker; start a worker there, or move their sessions to another host with "baton session move"',
  recovered: 'All hosts with waiting runs have a live worker again',
};

export interface WorkerStats {
  leaseLosses: number;
  takenOver: number;
  /** The last poll showed that the installation is stopped. */
  stopped: boolean;
}

/** A running worker, from one start to the next stop; see worker.ts. */
export class WorkerLoop {
  readonly #settings: Settings;
  readonly #attempts: RunningAttempts;
  readonly #stats: WorkerStats;
  readonly #node: Omit<NodeInfo, 'id'>;
  readonly #database: DatabaseWatch;
  readonly #takeover: Takeover;
  readonly #types: ProblemLog;
  readonly #hosts: ProblemLog;
  readonly #claim = new Coalescer(() => this.#claimOnce());
  readonly #poll = new Coalescer(() => this.#pollOnce());
  readonly #joined = Promise.withResolvers<void>();
  readonly #hurried = Promise.withResolvers<void>();
  #member: Membership | null = null;
  #joining: Promise<void> = Promise.resolve();
  #hasJoined = false;
  #claims = { begun: 0, ended: 0 };
  #takingOver = false;
  #typesCheckedAt = Number.NEGATIVE_INFINITY;
  #stopping: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #dueTimer: NodeJS.Timeout | undefined;
  #stopHints = (): void => {};

  constructor(settings: Settings, attempts: RunningAttempts, stats: WorkerStats) {
    const { store, log, identity, roles, concurrency: capacity, version, handlers, url } = settings;
    this.#settings = settings;
    this.#attempts = attempts;
    this.#stats = stats;
    this.#node = {
      ...identity,
      roles: [...roles],
      types: handlers.executable(),
      capacity,
      version,
      url,
    };
    this.#database = new DatabaseWatch(log);
    this.#takeover = new Takeover(store, identity, log);
    const unhandled = { ...UNHANDLED, list: () => store.unhandledTypes() };
    const stranded = { ...STRANDED, list: () => store.strandedHosts() };
    this.#types = new ProblemLog(unhandled, log);
    this.#hosts = new ProblemLog(stranded, log);
  }

  get stopping(): boolean {
    return this.#stopping !== null;
  }

  get member(): Membership | null {
    return this.#member;
  }

  /**
   * Resolves when the node has joined, however long the database is unavailable, or when it is
   * stopped.
   */
  async start(before?: Promise<void>): Promise<void> {
    await before;
    if (this.stopping) return;
    this.#stopHints = this.#settings.store.onHint(({ topics, nodes, all }) => {
      if (topics.includes(READY)) this.#claim.trigger();
      const { member } = this;
      if (member !== null && (all === true || nodes.includes(member.id))) this.#poll.trigger();
    });
    this.#timer = setInterval(() => this.#tick(), this.#settings.pollMs);
    this.#joining = this.#join();
    await this.#joined.promise;
  }

  /** Makes a stop in progress skip the rest of its grace period. */
  hurry(): void {
    this.#hurried.resolve();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #join(): Promise<void> {
    const { store, log, leaseMs, renewMs, stallMs, bufferBytes } = this.#settings;
    const shared = { store, log, database: this.#database, node: this.#node };
    while (!this.stopping) {
      let refusal: Error | null = null;
      try {
        const member = await Membership.join({ ...shared, leaseMs, renewMs, stallMs, bufferBytes });
        refusal = await this.#refusal(member);
        if (this.stopping) return await this.#leave(member);
        if (refusal !== null) {
          await this.#leave(member);
          throw refusal;
        }
        this.#member = member;
        this.#hasJoined = true;
        this.#database.answered('write');
        log.info({ node: member.id, types: this.#node.types }, 'Joined');
        this.#poll.trigger();
        this.#claim.trigger();
        break;
      } catch (error) {
        // A worker that has joined before keeps trying, because the reason may go away.
        const refused = error === refusal && !this.#hasJoined;
        if (isBatonError(error, 'closed') || refused) return this.#joined.reject(error);
        this.#database.failed(error);
        await this.#database.rest();
      }
    }
    this.#joined.resolve();
  }

  /** The reason why this worker must not claim anything; null if there is none. */
  async #refusal(member: Membership): Promise<Error | null> {
    try {
      const other = await this.#otherMachine();
      return other === null ? await this.#settings.admit() : hostInUse(other);
    } catch (error) {
      await this.#end(member);
      throw error;
    }
  }

  /**
   * Finds another live machine that uses our host id; waits while it is unclear whether that
   * machine is alive.
   */
  async #otherMachine(): Promise<NodeRecord | null> {
    const { store, log, identity, pollMs, oneMachine } = this.#settings;
    if (!oneMachine) return null;
    return findOtherMachine({
      store,
      self: identity,
      everyMs: pollMs,
      stopping: () => this.stopping,
      onWaiting: ({ id: node, host }) =>
        log.warn(
          { node, host },
          'Another machine holds a lease with this host id; waiting to see whether it is still running',
        ),
    });
  }

  #tick(): void {
    const member = this.#member;
    if (member === null) return;
    if (!member.trusted) {
      this.#lose(member);
      return;
    }
    if (!this.#database.resting('read')) this.#poll.trigger();
    if (!this.#database.resting('write')) this.#claim.trigger();
  }

  /**
   * Other nodes may execute our runs from now on, so stop every attempt, then join as a new node.
   */
  #lose(member: Membership): void {
    if (this.#member !== member) return;
    this.#member = null;
    this.#stats.leaseLosses++;
    this.#settings.log.error({ node: member.id, runs: this.#attempts.size }, 'LeaseLost');
    for (const attempt of this.#attempts.values()) attempt.lose('the lease of its node was lost');
    void this.#end(member);
    this.#joining = this.#join();
  }

  async #claimOnce(): Promise<void> {
    const { store, concurrency, caps } = this.#settings;
    const member = this.#member;
    const limit = Math.min(concurrency - this.#attempts.executing, mostPerClaim(concurrency));
    const types = this.#typesInTurn();
    if (member === null || this.stopping || limit <= 0 || types.length === 0) return;
    if (!member.trusted || this.#database.resting('write')) return;
    let claimed: ClaimedRun[];
    this.#claims.begun++;
    try {
      claimed = await store.claim({ nodeId: member.id, types, limit, caps });
      this.#database.answered('write');
    } catch (error) {
      return this.#failed(error, member);
    } finally {
      this.#claims.ended++;
    }
    // These runs are taken over with everything else the lost node held. A process that was
    // suspended may receive the response before it notices that its lease has expired.
    if (this.#member !== member || !member.trusted) return;
    for (const one of claimed) this.#begin(one, member);
    if (claimed.length > 0) this.#claim.trigger();
  }

  /** Rotates the order each time, so a type that always has work does not starve the others. */
  #typesInTurn(): string[] {
    const { types } = this.#node;
    const turn = this.#claims.begun % Math.max(1, types.length);
    return [...types.slice(turn), ...types.slice(0, turn)];
  }

  #begin(claimed: ClaimedRun, member: Membership): void {
    const attempt = new Attempt(claimed, member.writer, () => this.#claim.trigger());
    const before = this.#attempts.add(attempt);
    attempt.done = this.#run(attempt, member, before);
  }

  async #run(attempt: Attempt, member: Membership, before: readonly Attempt[]): Promise<void> {
    const { log } = this.#settings;
    try {
      if (before.length > 0) {
        const returned = Promise.all(before.map(({ done }) => done));
        await Promise.race([returned, attempt.stopped]);
      }
      if (!member.trusted) attempt.lose('the lease of its node was lost');
      if (this.stopping || attempt.abort !== null)
        await handBackUnstarted(attempt, 'not begun', log);
      else await execute(attempt, this.#settings);
    } catch (error) {
      log.error({ err: error, runId: attempt.run.id }, 'Could not run an attempt');
    }
    this.#attempts.delete(attempt);
    this.#claim.trigger();
  }

  async #pollOnce(): Promise<void> {
    const { store, pollMs, typesMs } = this.#settings;
    const member = this.#member;
    if (member === null) return;
    const sentAt = nextStamp();
    try {
      const { holds, nodes, nextDueMs, stopped } = await store.poll(member.id);
      this.#database.answered('read');
      if (this.#member !== member) return;
      this.#noteStopped(stopped);
      this.#attempts.compare(holds, sentAt, stopped);
      for (const stray of this.#attempts.strays(holds, this.#claims))
        this.#handBackStray(stray, member);
      if (nextDueMs !== null && nextDueMs < pollMs) this.#claimIn(nextDueMs);
      void this.#takeOver(nodes, member);
      if (performance.now() - this.#typesCheckedAt < typesMs) return;
      this.#typesCheckedAt = performance.now();
      await this.#types.check();
      await this.#hosts.check();
    } catch (error) {
      this.#failed(error, member);
    }
  }

  #noteStopped(stopped: boolean): void {
    if (this.#stats.stopped === stopped) return;
    this.#stats.stopped = stopped;
    const { log, onStopped } = this.#settings;
    log.warn({ runs: this.#attempts.size }, stopped ? 'EverythingStopped' : 'EverythingResumed');
    onStopped(stopped);
  }

  /**
   * The polls do not await this: a process suspended within a transaction keeps its rows locked,
   * and a worker that waits for those rows must not miss a cancel.
   */
  async #takeOver(nodes: Poll['nodes'], member: Membership): Promise<void> {
    if (this.#takingOver) return;
    this.#takingOver = true;
    try {
      this.#stats.takenOver += (await this.#takeover.pass(nodes)).length;
    } catch (error) {
      this.#failed(error, member);
    } finally {
      this.#takingOver = false;
    }
  }

  #handBackStray({ lane, fence }: HeldLane, member: Membership): void {
    const outcome = { kind: 'handed_back', reason: 'the response to its claim was lost' } as const;
    const channel = member.writer.open(lane, fence, () => {});
    channel.end({ outcome, retryDelayMs: 0 }, 0).then(
      () =>
        this.#settings.log.warn(
          { lane },
          'Handed back a run because the response to its claim was lost',
        ),
      () => {},
    );
  }

  #claimIn(ms: number): void {
    clearTimeout(this.#dueTimer);
    this.#dueTimer = setTimeout(() => this.#claim.trigger(), ms);
  }

  #failed(error: unknown, member: Membership): void {
    if (isBatonError(error, 'node_lost')) this.#lose(member);
    else if (!isBatonError(error, 'closed')) this.#database.failed(error);
  }

  async #stop(): Promise<void> {
    const { graceMs, returnMs, log } = this.#settings;
    // Without a lease there is nothing left to write or to wait for.
    if (this.#member === null) this.#database.end();
    this.#joined.resolve();
    // A claim in progress may still return runs; they are handed back.
    const returned = this.#claim.stop().then(() => this.#allReturned());
    for (const attempt of this.#attempts.values()) if (attempt.asking) attempt.stop(shutdown());
    await within(graceMs, returned, this.#hurried.promise);
    for (const attempt of this.#attempts.values()) attempt.stop(shutdown());
    await within(returnMs, returned);
    clearInterval(this.#timer);
    clearTimeout(this.#dueTimer);
    this.#stopHints();
    await within(LEAVE_MS, this.#joining);
    const member = this.#member;
    this.#member = null;
    this.#database.end();
    if (member === null) return;
    if (this.#attempts.size === 0) return await within(LEAVE_MS, this.#leave(member));
    // Do not leave: a run whose handler may still be working here must not start elsewhere yet.
    const runs = this.#attempts.values().map((attempt) => attempt.run.id);
    log.warn({ node: member.id, runs }, 'Stopped before all runs had ended');
    await within(LEAVE_MS, this.#end(member));
  }

  async #end(member: Membership): Promise<void> {
    try {
      await member.end();
    } catch (error) {
      this.#settings.log.warn({ node: member.id, err: error }, 'The lease keeper did not stop');
    }
  }

  async #leave(member: Membership): Promise<void> {
    const { log } = this.#settings;
    try {
      await member.leave();
      log.info({ node: member.id }, 'Left');
    } catch (error) {
      log.warn({ node: member.id, err: error }, 'Could not give up the lease; it will expire');
    }
  }

  async #allReturned(): Promise<void> {
    while (this.#attempts.size > 0)
      await Promise.all(this.#attempts.values().map(({ done }) => done));
  }
}

/**
 * A large worker claims half of its slots at a time, so one half is executed and written while the
 * other is claimed (512 slots of no-op runs on PostgreSQL: 7.2 k/s instead of 5.2 k/s).
 */
const mostPerClaim = (concurrency: number): number => Math.max(64, Math.ceil(concurrency / 2));

const hostInUse = ({ id, host }: NodeRecord): BatonError =>
  new BatonError(
    'host_in_use',
    `Another machine is using the host id "${host}" (node ${id}), so each machine would run the other's sessions. If this data directory was copied from that machine, delete its host-id file or set BATON_HOST_ID to a different id.`,
    { details: { host, node: id } },
  );

const shutdown = (): AbortReason => new AbortReason('shutdown', 'its worker is stopping');

/** Waits for the first of the promises, but no longer than `ms`. */
async function within(ms: number, ...promises: Promise<unknown>[]): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([...promises, late]);
  timer.abort();
}
