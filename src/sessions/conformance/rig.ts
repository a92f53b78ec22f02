import { expect } from 'vitest';
import type { LogEvent } from '../../contract/event.ts';
import type { EventType } from '../../contract/events/table.ts';
import type { SessionStatus } from '../../contract/session.ts';
import { SESSION_EVENTS } from '../../contract/session-event.ts';
import { newId } from '../../contract/values/ids.ts';
import { admission, type NewRun, Rig } from '../../queue/conformance/rig.ts';
import type { ClaimedRun, Clock, Store } from '../../queue/store.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import type { HostStore } from '../host-store.ts';
import type { SteerStore } from '../messages/steer-store.ts';
import { READY_GRACE_MS } from '../session-machine.ts';
import type { SessionRecord, SessionWithFacts } from '../session-record.ts';
import type {
  InvocationRecord,
  NewSession,
  Reconciled,
  SendRequest,
  Sent,
  SessionCommand,
  SessionStore,
  StatusChange,
} from '../session-store.ts';

export type SessionStores = Store & SessionStore & ApprovalStore & SteerStore & HostStore;
/** Opens the store of this name; the same name opens the same data. */
export type OpenAt = (databaseName: string, clock: Clock) => Promise<SessionStores>;
/** One test of the suite; the title begins with its rule. */
export type SessionRule = (title: string, body: (rig: SessionStoreRig) => Promise<void>) => void;

export const MINUTE = 60_000;
export const MAY_BE_QUEUED = 100;

/** A session store under test, with a clock that advances only on demand. */
export class SessionStoreRig {
  readonly #open: OpenAt;
  readonly databaseName = newId();
  #queue: Rig | null = null;
  #names = 0;

  private constructor(open: OpenAt) {
    this.#open = open;
  }

  static async open(open: OpenAt): Promise<SessionStoreRig> {
    const rig = new SessionStoreRig(open);
    await rig.#start();
    return rig;
  }

  async #start(): Promise<void> {
    const queue = await Rig.open((clock) => this.#open(this.databaseName, clock));
    if (this.#queue !== null) queue.now = this.#queue.now;
    this.#queue = queue;
  }

  /** Shorthands for calls to the queue. */
  get queue(): Rig {
    return this.#queue!;
  }

  get store(): SessionStores {
    return this.queue.store as SessionStores;
  }

  get now(): number {
    return this.queue.now;
  }

  advance(ms: number): void {
    this.queue.advance(ms);
  }

  /** Closes the store, lets some time pass, and reopens it, like a restart. */
  async restart(downMs = 0): Promise<void> {
    await this.store.close();
    await this.#start();
    this.advance(downMs);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  create(given: Partial<NewSession> = {}): Promise<SessionWithFacts> {
    return this.store.createSession(this.newSession(given));
  }

  newSession(given: Partial<NewSession> = {}): NewSession {
    return { ...newSessionOf(newId(), `session ${++this.#names}`), ...given };
  }

  /** A session in a status, reached through real transitions. */
  async session(
    status: SessionStatus = 'ACTIVE',
    given: Partial<NewSession> = {},
  ): Promise<string> {
    const { session } = await this.create(given);
    const { id } = session;
    if (status === 'ACTIVE' || status === 'IDLE') await this.do(id, { do: 'ready', path: '/w' });
    if (status === 'IDLE') {
      this.advance(READY_GRACE_MS);
      await this.reconcile();
    }
    if (status === 'ERROR') await this.do(id, { do: 'fail', error: 'no disk' });
    if (status === 'COMPLETED') await this.do(id, { do: 'complete' });
    if (status === 'TERMINATED') await this.do(id, { do: 'terminate', reason: 'asked' });
    expect(await this.status(id)).toBe(status);
    return id;
  }

  async do(id: string, command: SessionCommand): Promise<readonly StatusChange[]> {
    return (await this.store.changeSession(id, command)).changes;
  }

  async current(id: string): Promise<SessionWithFacts> {
    const current = await this.store.getSession(id);
    expect(current, `session ${id}`).not.toBeNull();
    return current as SessionWithFacts;
  }

  async record(id: string): Promise<SessionRecord> {
    return (await this.current(id)).session;
  }

  async status(id: string): Promise<SessionStatus> {
    return (await this.record(id)).status;
  }

  send(sessionId: string, run: NewRun = {}, rest: Partial<SendRequest> = {}): Promise<Sent> {
    return this.store.sendMessage({
      sessionId,
      admission: admission({ payload: { message: 'hello' }, ...run }),
      original: null,
      queueMax: MAY_BE_QUEUED,
      ...rest,
    });
  }

  /** Sends a message, and starts its run on a node. */
  async begin(sessionId: string): Promise<ClaimedRun> {
    await this.queue.node();
    await this.send(sessionId);
    return await this.queue.begin();
  }

  connect(sessionId: string, nodeId = 'node-1', id = newId()): Promise<readonly StatusChange[]> {
    return this.store.openConnections({ sessionId, nodeId }, [{ id, userId: 'ann', kind: 'ws' }]);
  }

  reconcile(limit = 100): Promise<Reconciled> {
    return this.store.reconcileSessions(limit);
  }

  /** Reconciles until nothing is left to do. */
  async reconcileAll(limit = 100): Promise<StatusChange[]> {
    const changes: StatusChange[] = [];
    for (let more = true; more; ) {
      const reconciled = await this.reconcile(limit);
      changes.push(...reconciled.changes);
      ({ more } = reconciled);
    }
    return changes;
  }

  /** The events of a session; session events must have exactly the fields in their schemas. */
  async events(id: string, type?: EventType): Promise<LogEvent[]> {
    const events = await this.store.listAfter(id, 0, 1000);
    for (const event of events) {
      const schema = SESSION_EVENTS[event.type as keyof typeof SESSION_EVENTS];
      if (schema !== undefined) schema.strict().parse(event.payload);
    }
    return type === undefined ? events : events.filter((event) => event.type === type);
  }

  /** The status changes in the log, such as `PENDING→ACTIVE ready`. */
  async moves(id: string): Promise<string[]> {
    return (await this.events(id, 'session.status')).map(({ payload }) => {
      const { from, to, reason } = SESSION_EVENTS['session.status'].parse(payload);
      return `${from}→${to} ${reason}`;
    });
  }
}

export const newSessionOf = (id: string, name: string): NewSession => ({
  id,
  ownerId: 'ann',
  name,
  description: '',
  tags: [],
  labels: [],
  agent: { kind: 'shell' },
  agentStanding: { channel: 'api' },
  workspace: { provider: 'directory' },
  isolation: 'none',
  templateConfig: null,
  idleTimeoutSeconds: 1800,
  budgetUsd: null,
  holdOnFailure: true,
  pin: false,
  host: null,
  forkPoint: null,
  usageBefore: null,
  forkedFrom: null,
});

export const invocation = (
  sessionId: string,
  runId: string,
  given: Partial<InvocationRecord> = {},
): InvocationRecord => ({
  id: newId(),
  runId,
  sessionId,
  attempt: 1,
  agent: 'shell',
  userId: null,
  channel: null,
  startedAt: 1000,
  finishedAt: null,
  exitCode: null,
  signal: null,
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  model: null,
  costUsd: 0,
  costSource: null,
  tools: [],
  stderr: '',
  error: null,
  ...given,
});
