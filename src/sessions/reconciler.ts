import { Coalescer } from '../queue/coalescer.ts';
import { messageOf } from '../queue/handler-result.ts';
import type { Logger } from '../queue/logger.ts';
import { isTransient } from '../queue/node/database-watch.ts';
import type { ApprovalStore } from './approvals/approval-store.ts';
import type { Connections } from './connections.ts';
import type { SteerStore } from './messages/steer-store.ts';
import type { Provisioner } from './provisioner.ts';
import type { SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';

const EVERY_MS = 1000;
/** Sessions changed in one transaction. */
const BATCH = 200;
/** Workspaces that one look begins to prepare, and those that may be under way. */
const PENDING_AT_ONCE = 8;
const PREPARING_MOST = 64;
/** After a failure a workspace is tried again so much later, then after twice that, up to an hour. */
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
  /** Null on a node that runs nothing, and so prepares nothing. */
  readonly provisioner: Provisioner | null;
  /** Of a session that was deleted, perhaps on a node of another host. */
  readonly removeWorkspace: (sessionId: string) => Promise<void>;
  readonly host: string;
  readonly log: Logger;
  readonly everyMs?: number;
  readonly removeAgainMs?: number;
  /** Told how long each look took, for whoever counts. */
  readonly onPass?: (seconds: number) => void;
}

/**
 * Brings sessions to what time and the deaths of others have made of them: idle timers, connections
 * of dead nodes, questions that nobody can answer any more, workspaces to prepare. It remembers
 * nothing between two looks, so a restart or a second node changes nothing (S4).
 */
export class SessionReconciler {
  readonly #options: ReconcilerOptions;
  #pulse: Coalescer | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Sessions whose workspace is under way. */
  readonly #preparing = new Set<string>();
  #removing: Promise<void> | null = null;
  /** Workspaces that could not be removed: when each is tried again. */
  readonly #stuck = new Map<string, { readonly at: number; readonly waitMs: number }>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Safe to call twice. */
  start(): void {
    if (this.#pulse !== null) return;
    this.#pulse = new Coalescer(() => this.#look());
    this.#timer = setInterval(() => this.look(), this.#options.everyMs ?? EVERY_MS);
    this.look();
  }

  /** There may be something to do now. */
  look(): void {
    this.#pulse?.trigger();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const pulse = this.#pulse;
    this.#pulse = null;
    await pulse?.stop();
  }

  async #look(): Promise<void> {
    const { log, connections, onPass } = this.#options;
    const begun = performance.now();
    try {
      connections.reconcile();
      await this.#settle();
      await this.#prepare();
      this.#removing ??= this.#remove().finally(() => {
        this.#removing = null;
      });
      onPass?.((performance.now() - begun) / 1000);
    } catch (error) {
      // A database that is away is reported by the worker.
      if (!isTransient(error)) log.warn({ reason: messageOf(error) }, 'Sessions not looked after');
    }
  }

  async #settle(): Promise<void> {
    const { store, log } = this.#options;
    for (let more = true; more && this.#pulse !== null; ) {
      const settled = await store.reconcileSessions(BATCH);
      logChanges(log, settled.changes);
      ({ more } = settled);
    }
    for (let more = true; more && this.#pulse !== null; ) {
      ({ more } = await store.reconcileApprovals(BATCH));
    }
    for (let more = true; more && this.#pulse !== null; ) {
      const settled = await store.reconcileSteers(BATCH);
      logChanges(log, settled.changes);
      ({ more } = settled);
    }
  }

  /** Beside the looks: a workspace may take long, or never come, and then holds up nobody else. */
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
        // One that fails says so in its session.
        .then(
          () => this.look(),
          () => {},
        );
    }
  }

  /** Beside the looks, too. One that cannot be removed stays in the database until it can. */
  async #remove(): Promise<void> {
    const { store, provisioner, host } = this.#options;
    if (provisioner === null) return;
    try {
      for (const sessionId of await store.listLeftWorkspaces(host, BATCH + this.#stuck.size)) {
        const stuck = this.#stuck.get(sessionId);
        if (stuck !== undefined && stuck.at > performance.now()) continue;
        if (!(await this.#removeOne(sessionId, stuck?.waitMs))) continue;
        await store.forgetLeftWorkspace(sessionId);
        this.#stuck.delete(sessionId);
      }
    } catch {
      // The database is away, and who watches it says so; the next look goes on.
    }
  }

  async #removeOne(sessionId: string, waitedMs: number | undefined): Promise<boolean> {
    const { log, removeWorkspace, removeAgainMs = REMOVE_AGAIN_MS } = this.#options;
    try {
      await removeWorkspace(sessionId);
      return true;
    } catch (error) {
      log.warn({ sessionId, reason: messageOf(error) }, 'Workspace not removed');
      const waitMs = Math.min((waitedMs ?? removeAgainMs / 2) * 2, REMOVE_AGAIN_MOST_MS);
      this.#stuck.set(sessionId, { at: performance.now() + waitMs, waitMs });
      return false;
    }
  }
}
