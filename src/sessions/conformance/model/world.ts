import type { ErrorCode } from '../../../contract/errors.ts';
import type { SessionStatus, StatusReason } from '../../../contract/session.ts';

/*
 * How sessions should behave, written a second time, as simply as possible and without the state
 * machine. The objects are plain and can be copied, so a refused call just discards its copy.
 */

export interface ModelSession {
  readonly id: string;
  name: string;
  status: SessionStatus;
  reason: StatusReason;
  timeoutMs: number;
  readyAt: number | null;
  idleSince: number | null;
  archived: boolean;
  /** The statuses in the log, in order. */
  moves: SessionStatus[];
  /** The run a worker executes. */
  running: string | null;
  /** In the order they will start. */
  queued: string[];
  /** Runs that are not due yet and so not in the queue. */
  later: { id: string; runAt: number }[];
  /** Idempotency keys that were used, with the body and the run. */
  keys: Record<string, { body: string; run: string }>;
  connections: { id: string; node: string }[];
  emittedConnections: number;
}

/** A request that the store must refuse with this code. */
export class Refused extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

const GRACE_MS = 60_000;
export const QUEUE_MAX = 3;

export class World {
  now = Date.UTC(2026, 0, 1);
  sessions: ModelSession[] = [];
  leases: Record<string, number> = {};
  names = 0;

  copy(): World {
    return Object.assign(new World(), structuredClone({ ...this }));
  }

  alive(node: string): boolean {
    return (this.leases[node] ?? 0) > this.now;
  }

  connected({ connections }: ModelSession): number {
    return connections.filter(({ node }) => this.alive(node)).length;
  }

  unfinished({ running, queued, later }: ModelSession): number {
    return (running === null ? 0 : 1) + queued.length + later.length;
  }

  destroyAt({ idleSince, timeoutMs }: ModelSession): number | null {
    return idleSince === null || timeoutMs === 0 ? null : idleSince + timeoutMs;
  }

  set(session: ModelSession, status: SessionStatus, reason: StatusReason): void {
    const ready = status === 'ACTIVE' || status === 'IDLE';
    session.status = status;
    session.reason = reason;
    session.readyAt = ready ? (session.readyAt ?? this.now) : null;
    session.idleSince = status === 'IDLE' ? this.now : null;
    session.moves.push(status);
  }

  /** Applies a command by name; throws the error that the store must throw as well. */
  change(session: ModelSession, what: string): void {
    const { status } = session;
    const open = status !== 'COMPLETED' && status !== 'TERMINATED';
    const must = (allowed: boolean, code: ErrorCode = 'session_state'): void => {
      if (!allowed) throw new Refused(code);
    };
    switch (what) {
      case 'ready':
        must(status === 'PENDING' || status === 'ACTIVE' || status === 'ERROR');
        if (status !== 'ACTIVE') this.set(session, 'ACTIVE', 'ready');
        break;
      case 'fail':
        must(open && status !== 'ERROR');
        this.set(session, 'ERROR', 'failed');
        break;
      case 'complete':
        must(open);
        must(this.unfinished(session) === 0, 'session_busy');
        this.set(session, 'COMPLETED', 'asked');
        break;
      case 'asked':
        must(status !== 'TERMINATED');
        this.cancelQueued(session);
        this.set(session, 'TERMINATED', 'asked');
        break;
      case 'orphan':
        must(open);
        must(this.unfinished(session) === 0, 'session_busy');
        this.set(session, 'TERMINATED', 'orphan');
        break;
      case 'reopen':
        must(!open);
        session.archived = false;
        this.set(session, 'PENDING', 'reopened');
        break;
      case 'retry':
        must(status === 'ERROR');
        this.set(session, 'PENDING', 'retried');
        break;
      case 'archive':
        must(this.unfinished(session) === 0, 'session_busy');
        session.archived = true;
        break;
    }
  }

  cancelQueued(session: ModelSession): void {
    session.queued = [];
    session.later = [];
  }

  /** Returns what the sender gets. */
  send(session: ModelSession, message: Message): Answered {
    const { status, reason, keys } = session;
    const used = message.key === null ? undefined : keys[message.key];
    if (used !== undefined) {
      if (used.body !== message.body) throw new Refused('idempotency_conflict');
      return { id: used.run, position: this.ahead(session, used.run), known: true };
    }
    const revivable = status === 'TERMINATED' && (reason === 'idle' || reason === 'orphan');
    if ((status === 'TERMINATED' || status === 'COMPLETED') && !revivable)
      throw new Refused('session_ended');
    if (session.queued.length + session.later.length >= QUEUE_MAX) throw new Refused('queue_full');
    const busy = session.running !== null || session.queued.length > 0;
    if (message.onBusy === 'reject' && busy) throw new Refused('session_busy');
    session.archived = false;
    if (status === 'IDLE') this.set(session, 'ACTIVE', 'message');
    if (status === 'ERROR' || revivable) this.set(session, 'PENDING', 'message');
    const { id } = message;
    if (message.key !== null) keys[message.key] = { body: message.body, run: id };
    if (message.delayMs > 0) session.later.push({ id, runAt: this.now + message.delayMs });
    else if (message.onBusy === 'interrupt') session.queued.unshift(id);
    else session.queued.push(id);
    return { id, position: this.ahead(session, id), known: false };
  }

  /** How many runs are ahead of a queued one. */
  ahead({ running, queued, later }: ModelSession, id: string): number {
    const begun = running === null ? 0 : 1;
    if (later.some((run) => run.id === id)) return begun + queued.length;
    return queued.includes(id) ? begun + queued.indexOf(id) : 0;
  }

  /** Every claim does this first. */
  joinDue(): void {
    for (const session of this.sessions) {
      const due = session.later.filter(({ runAt }) => runAt <= this.now);
      due.sort((a, b) => a.runAt - b.runAt);
      session.later = session.later.filter((run) => !due.includes(run));
      session.queued.push(...due.map(({ id }) => id));
    }
  }

  reconcile(): string[] {
    const changed: string[] = [];
    for (const session of this.sessions) {
      session.connections = session.connections.filter(({ node }) => this.alive(node));
      session.emittedConnections = session.connections.length;
      const { status, readyAt } = session;
      const calm = session.emittedConnections === 0 && this.unfinished(session) === 0;
      if (status === 'ACTIVE' && calm && this.now - (readyAt ?? 0) >= GRACE_MS)
        this.set(session, 'IDLE', 'quiet');
      const end = this.destroyAt(session);
      if (status === 'IDLE' && end !== null && end <= this.now)
        this.set(session, 'TERMINATED', 'idle');
      if (session.status !== status) changed.push(session.id);
    }
    return changed;
  }
}

export interface Answered {
  readonly id: string;
  readonly position: number;
  readonly known: boolean;
}

export interface Message {
  readonly id: string;
  readonly onBusy: 'enqueue' | 'reject' | 'interrupt';
  readonly delayMs: number;
  readonly key: string | null;
  readonly body: string;
}
