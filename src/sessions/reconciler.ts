import { backoff } from '../contract/functions/growing-wait.ts';
import { Coalescer } from '../queue/coalescer.ts';
import { messageOf } from '../queue/handler-result.ts';
import type { Logger } from '../queue/logger.ts';
import { isTransient } from '../queue/membership/database-watch.ts';
import type { ApprovalStore } from './approvals/approval-store.ts';
import type { Connections } from './connections.ts';
import type { SteerStore } from './messages/steer-store.ts';
import type { Provisioner } from './provisioner.ts';
import type { SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';

const EVERY_MS = 1000;
/** The maximum number of sessions changed in one transaction. */
const BATCH = 200;
/** How many workspaces one pass starts preparing, and how many may be in preparation at once. */
const PENDING_AT_ONCE = 8;
const PREPARING_MOST = 64;
/** When to retry removing a workspace: after a minute, doubling up to an hour. */
const REMOVE_AGAIN_MS = 60_000;
const REMOVE_AGAIN_MOST_MS = 60 * 60_000;

export interface ReconcilerOptions {
  readonly store: Pick<
    SessionStore,
    'reconcileSessions' | 'listPending' | 'listLeftWorkspaces' | 'forgetLeftWorkspace'
  > &
    Pick<ApprovalStore, 'reconcileApprovals'> &
    Pick<SteerStore, 'reconcileSteers'>;
  readonly connections: Connections;
  /** Null on a node that executes no runs, because it prepares no workspaces either. */
  readonly provisioner: Provisioner | null;
  /**
   * Removes what a deleted session left on this host: its artefacts, its snapshots and, unless a
   * user named the directory, its workspace.
   */
  readonly removeWorkspace: (sessionId: string) => Promise<void>;
  readonly host: string;
  readonly log: Logger;
  readonly everyMs?: number;
  readonly removeAgainMs?: number;
  /** Reports the duration of each pass, for metrics. */
  readonly onPass?: (seconds: number) => void;
}

/**
 * Brings sessions up to date with elapsed time and dead nodes: idle timers, connections of dead
 * nodes, questions that can no longer be answered, workspaces to prepare. No state is kept between
 * passes, so a restart or a second node makes no difference (S4).
 */
export class SessionReconciler {
  readonly #options: ReconcilerOptions;
  #pulse: Coalescer | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Sessions whose workspace is being prepared. */
  readonly #preparing = new Set<string>();
  #removing: Promise<void> | null = null;
  /** Workspaces that could not be removed, with the time of the next attempt. */
  readonly #stuck = new Map<string, { readonly at: number; readonly failures: number }>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Safe to call twice. */
  start(): void {
    if (this.#pulse !== null) return;
    this.#pulse = new Coalescer(() => this.#pass());
    this.#timer = setInterval(() => this.wake(), this.#options.everyMs ?? EVERY_MS);
    this.wake();
  }

  /** Starts a pass soon; call it when there may be something to do. */
  wake(): void {
    this.#pulse?.trigger();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const pulse = this.#pulse;
    this.#pulse = null;
    await pulse?.stop();
  }

  async #pass(): Promise<void> {
    const { log, connections, onPass } = this.#options;
    const begun = performance.now();
    try {
      connections.reconcile();
      await this.#reconcile();
      await this.#prepare();
      this.#removing ??= this.#remove().finally(() => {
        this.#removing = null;
      });
      onPass?.((performance.now() - begun) / 1000);
    } catch (error) {
      // The worker reports when the database is unavailable.
      if (!isTransient(error))
        log.warn({ reason: messageOf(error) }, 'Could not reconcile sessions');
    }
  }

  async #reconcile(): Promise<void> {
    const { store, log } = this.#options;
    for (let more = true; more && this.#pulse !== null; ) {
      const reconciled = await store.reconcileSessions(BATCH);
      logChanges(log, reconciled.changes);
      ({ more } = reconciled);
    }
    for (let more = true; more && this.#pulse !== null; ) {
      ({ more } = await store.reconcileApprovals(BATCH));
    }
    for (let more = true; more && this.#pulse !== null; ) {
      const reconciled = await store.reconcileSteers(BATCH);
      logChanges(log, reconciled.changes);
      ({ more } = reconciled);
    }
  }

  /**
   * The pass does not await this: a workspace that takes a long time to prepare, or never becomes
   * ready, must not delay the others.
   */
  async #prepare(): Promise<void> {
    const { store, provisioner, host } = this.#options;
    const underWay = this.#preparing;
    if (provisioner === null || underWay.size >= PREPARING_MOST) return;
    for (const pending of await store.listPending(host, PENDING_AT_ONCE + underWay.size)) {
      const { id } = pending.session;
      if (underWay.has(id) || this.#pulse === null) continue;
      underWay.add(id);
      provisioner
        .prepare(pending)
        .finally(() => underWay.delete(id))
        // A failure is recorded in the session.
        .then(
          () => this.wake(),
          () => {},
        );
    }
  }

  /** Not awaited either. A workspace that cannot be removed yet stays listed in the database. */
  async #remove(): Promise<void> {
    const { store, provisioner, host } = this.#options;
    if (provisioner === null) return;
    try {
      for (const sessionId of await store.listLeftWorkspaces(host, BATCH + this.#stuck.size)) {
        const stuck = this.#stuck.get(sessionId);
        if (stuck !== undefined && stuck.at > performance.now()) continue;
        if (!(await this.#removeOne(sessionId, stuck?.failures ?? 0))) continue;
        await store.forgetLeftWorkspace(sessionId, host);
        this.#stuck.delete(sessionId);
      }
    } catch {
      // The database is unavailable, which is reported elsewhere; the next pass continues.
    }
  }

  async #removeOne(sessionId: string, before: number): Promise<boolean> {
    const { log, removeWorkspace, removeAgainMs = REMOVE_AGAIN_MS } = this.#options;
    try {
      await removeWorkspace(sessionId);
      return true;
    } catch (error) {
      log.warn({ sessionId, reason: messageOf(error) }, 'Could not remove a workspace');
      const failures = before + 1;
      const waitMs = backoff(failures, { firstMs: removeAgainMs, capMs: REMOVE_AGAIN_MOST_MS });
      this.#stuck.set(sessionId, { at: performance.now() + waitMs, failures });
      return false;
    }
  }
}
