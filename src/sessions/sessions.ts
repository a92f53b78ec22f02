import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, isBatonError } from '../contract/errors.ts';
import type { LogEvent } from '../contract/event.ts';
import { newId } from '../contract/ids.ts';
import type { Json } from '../contract/json.ts';
import type { MessageReceipt, MessageRequest } from '../contract/message.ts';
import type { Run } from '../contract/run.ts';
import type { Cost, EditRun, Invocation, RunView } from '../contract/run-view.ts';
import {
  type AgentKind,
  type CreateSession,
  type ForkSession,
  PROTECTED_LABELS,
  type Session,
  type SessionAction,
  type UpdateSession,
  type WorkspaceProviderName,
} from '../contract/session.ts';
import type { SessionHint } from '../contract/session-event.ts';
import type { Masker } from '../policy/masker.ts';
import type { Tail } from '../queue/follow/tail.ts';
import type { Logger } from '../queue/logger.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Counts } from '../queue/store.ts';
import type { SecretBox } from '../secrets/box.ts';
import type { WorkspaceProvider } from '../workspaces/provider.ts';
import type { Connections } from './connections.ts';
import { admissionOf, newRunId, refuseMask, storeMessage } from './messages.ts';
import type {
  Connection,
  LogTarget,
  Page,
  Principal,
  RunQuery,
  SessionQuery,
  SessionService,
} from './service.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { Changed, NewSession, SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';
import { toInvocation, toRunView, toSession } from './views.ts';

const PAGE_DEFAULT = 50;
/** Runs of one session that may be queued (H9). */
const QUEUE_MAX = 1000;
/** How long a deletion waits for a running agent to stop; the stop itself may take 5 s. */
const DELETE_WAIT_MS = 10_000;

export interface SessionsOptions {
  readonly store: SessionStore;
  readonly queue: RunQueue;
  readonly connections: Connections;
  readonly masker: Masker;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly providerOf: (name: WorkspaceProviderName) => WorkspaceProvider;
  /** Throws `not_available` for an agent that this version cannot run. */
  readonly checkAgent: (kind: AgentKind) => void;
  /** Something may be to be done for a session, such as preparing its workspace. */
  readonly onWork: () => void;
  readonly onCreationFailed?: () => void;
}

/** Sessions as people use them: who may see what, what is checked, and what is told in the log. */
export class Sessions implements SessionService {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async create(by: Principal, body: CreateSession): Promise<Session> {
    const { providerOf, checkAgent, onCreationFailed } = this.#options;
    try {
      checkAgent(body.agent.kind);
      refuseIsolation(body.isolation);
      const { local } = providerOf(body.workspace.provider);
      return await this.#create({
        ...body,
        id: newId(),
        ownerId: by.userId,
        templateConfig: null,
        pin: local,
        conversation: null,
        forkedFrom: null,
      });
    } catch (error) {
      onCreationFailed?.();
      throw error;
    }
  }

  async get(by: Principal, id: string): Promise<Session> {
    return toSession(await this.#find(by, id));
  }

  async list(by: Principal, query: SessionQuery): Promise<Page<Session>> {
    const { limit = PAGE_DEFAULT, cursor, archived = false, ...rest } = query;
    const found = await this.#options.store.listSessions({
      ...definedOf(rest),
      ...(cursor === undefined ? {} : { before: cursor }),
      ...(by.role === 'admin' ? {} : { ownerId: by.userId }),
      archived,
      limit: limit + 1,
    });
    return pageOf(found, limit, toSession, (last) => last.session.id);
  }

  async update(by: Principal, id: string, body: UpdateSession): Promise<Session> {
    await this.#find(by, id);
    return this.#changed(
      await this.#options.store.changeSession(id, { do: 'update', changes: body }),
    );
  }

  async act(by: Principal, id: string, action: SessionAction): Promise<Session> {
    await this.#find(by, id);
    const command =
      action === 'terminate' ? ({ do: action, reason: 'asked' } as const) : { do: action };
    const session = this.#changed(await this.#options.store.changeSession(id, command));
    this.#options.onWork();
    return session;
  }

  async fork(by: Principal, id: string, body: ForkSession): Promise<Session> {
    const { session, holdOnFailure } = await this.#find(by, id);
    const { local } = this.#options.providerOf(session.workspace.provider);
    return this.#create({
      id: newId(),
      ownerId: by.userId,
      name: body.name,
      description: body.description ?? session.description,
      tags: session.tags,
      labels: [],
      agent: session.agent,
      workspace: session.workspace,
      isolation: session.isolation,
      templateConfig: session.templateConfig,
      idleTimeoutSeconds: session.idleTimeoutSeconds,
      budgetUsd: session.budgetUsd,
      holdOnFailure,
      pin: local,
      conversation: session.conversation,
      forkedFrom: session.id,
    });
  }

  async remove(by: Principal, id: string): Promise<void> {
    const { store, providerOf, log } = this.#options;
    const { session } = await this.#find(by, id);
    if (session.labels.some((label) => PROTECTED_LABELS.includes(label))) {
      throw new BatonError('session_protected', undefined, { details: { labels: session.labels } });
    }
    await this.#terminate(id);
    await this.#untilQuiet(id);
    await store.deleteSession(id);
    // Last, and not fatal: what is left on disk harms nobody, a session half deleted would.
    await providerOf(session.workspace.provider)
      .delete({ sessionId: id, spec: session.workspace })
      .catch((error: unknown) => log.warn({ sessionId: id, err: error }, 'Workspace not removed'));
    log.info({ sessionId: id }, 'Session deleted');
  }

  async cost(by: Principal, id: string): Promise<Cost> {
    const { session } = await this.#find(by, id);
    const sums = await this.#options.store.sumInvocations(id);
    return { sessionId: id, budgetUsd: session.budgetUsd, ...sums };
  }

  async send(
    by: Principal,
    id: string,
    body: MessageRequest,
    idempotencyKey: string | null,
  ): Promise<MessageReceipt> {
    const { store, queue, log, onWork } = this.#options;
    await this.#find(by, id);
    const runId = newRunId();
    const stored = storeMessage(body.message, id, this.#options);
    const admission = admissionOf({ sessionId: id, by, body, runId, stored, idempotencyKey });
    queue.handlers.get(admission.type);
    const request = { sessionId: id, admission, original: stored.original, queueMax: QUEUE_MAX };
    const sent = await store.sendMessage(request).catch((error: unknown) => {
      const busy = isBatonError(error, 'session_busy');
      throw busy && body.onBusy === 'steer' ? new BatonError('cannot_steer') : error;
    });
    logChanges(log, sent.changes);
    const { receipt } = sent;
    if (!receipt.known) log.info({ sessionId: id, runId: receipt.id, type: 'agent' }, 'Enqueued');
    onWork();
    return { runId: receipt.id, sessionId: id, status: 'queued', position: receipt.position };
  }

  async listRuns(by: Principal, query: RunQuery): Promise<Page<RunView>> {
    const { sessionId, state, limit = PAGE_DEFAULT, cursor } = query;
    if (sessionId !== undefined) await this.#find(by, sessionId);
    else mustBeAdmin(by);
    const { queue } = this.#options;
    const runs =
      sessionId !== undefined && state === 'queued'
        ? await this.#queuedAfter(sessionId, cursor, limit + 1)
        : await queue.list({
            limit: limit + 1,
            ...(sessionId === undefined ? {} : { lane: sessionId }),
            ...(state === undefined ? {} : { states: [state] }),
            ...(cursor === undefined ? {} : { after: cursor }),
          });
    const costs = await this.#options.store.costsOf(runs.map((run) => run.id));
    const view = (run: Run): RunView => toRunView(run, costs.get(run.id) ?? 0);
    return pageOf(runs, limit, view, (last) => last.id);
  }

  async getRun(by: Principal, id: string): Promise<RunView> {
    return this.#view(await this.#findRun(by, id));
  }

  async editRun(by: Principal, id: string, body: EditRun): Promise<RunView> {
    const { store, masker } = this.#options;
    const run = await this.#findRun(by, id);
    const { message, before } = body;
    let change: { payload: string; original: string | null } | undefined;
    if (message !== undefined) {
      if (run.type !== 'agent') throw new BatonError('invalid_request', 'The run has no message.');
      refuseMask(message, masker);
      const stored = storeMessage(message, run.lane, this.#options);
      const payload = {
        ...(run.payload as Record<string, Json>),
        message: stored.message,
        original: stored.original !== null,
      };
      change = { payload: JSON.stringify(payload), original: stored.original };
    }
    return this.#view(
      await store.editRun(id, { ...change, ...(before === undefined ? {} : { before }) }),
    );
  }

  async removeRun(by: Principal, id: string): Promise<void> {
    await this.#findRun(by, id);
    await this.#options.queue.remove(id);
  }

  async cancelRun(by: Principal, id: string): Promise<RunView> {
    await this.#findRun(by, id);
    return this.#view(await this.#options.queue.cancel(id));
  }

  async retryRun(by: Principal, id: string): Promise<RunView> {
    const { store, log, queue, onWork } = this.#options;
    await this.#findRun(by, id);
    const fresh = newRunId();
    logChanges(log, (await store.retryRun(id, fresh)).changes);
    onWork();
    const run = await queue.get(fresh);
    if (run === null) throw new BatonError('not_found');
    return this.#view(run);
  }

  async invocations(by: Principal, runId: string): Promise<Invocation[]> {
    await this.#findRun(by, runId);
    return (await this.#options.store.listInvocations(runId)).map(toInvocation);
  }

  async counts(by: Principal): Promise<Counts> {
    mustBeAdmin(by);
    return this.#options.queue.counts();
  }

  async sessionLog(by: Principal, id: string): Promise<LogTarget> {
    const { lastSeq } = await this.#find(by, id);
    return { sessionId: id, runId: null, lastSeq };
  }

  async runLog(by: Principal, runId: string): Promise<LogTarget> {
    const run = await this.#findRun(by, runId);
    const lane = await this.#options.queue.getLane(run.lane);
    return { sessionId: run.lane, runId, lastSeq: (lane?.nextSeq ?? 1) - 1 };
  }

  events(target: LogTarget, after: number, limit: number): Promise<LogEvent[]> {
    const { sessionId, runId } = target;
    return this.#options.queue.events(sessionId, {
      after,
      limit,
      ...(runId === null ? {} : { runId }),
    });
  }

  follow(target: LogTarget, after: number, signal: AbortSignal): Tail {
    const { sessionId, runId } = target;
    return this.#options.queue.tail(sessionId, {
      after,
      signal,
      ...(runId === null ? {} : { runId }),
    });
  }

  async *hints(by: Principal, signal: AbortSignal): AsyncIterable<SessionHint> {
    for await (const growth of this.#options.queue.hints({ signal })) {
      if ('all' in growth) yield { all: true };
      else {
        const found = await this.#options.store.getSession(growth.lane);
        if (found === null || !maySee(by, found)) continue;
        const { lastSeq, session } = found;
        yield { sessionId: session.id, lastSeq, status: session.status };
      }
    }
  }

  async connect(by: Principal, sessionId: string, kind: 'sse' | 'ws'): Promise<Connection> {
    return this.#options.connections.open(sessionId, by.userId, kind);
  }

  async #create(session: NewSession): Promise<Session> {
    const { store, log, onWork } = this.#options;
    const { id, name, ownerId } = session;
    const found = await store.createSession(session);
    log.info({ sessionId: id, name, ownerId }, 'Session created');
    onWork();
    return toSession(found);
  }

  #changed({ found, changes }: Changed): Session {
    logChanges(this.#options.log, changes);
    return toSession(found);
  }

  async #find(by: Principal, id: string): Promise<SessionWithFacts> {
    const found = await this.#options.store.getSession(id);
    if (found === null || !maySee(by, found)) throw new BatonError('not_found');
    return found;
  }

  async #findRun(by: Principal, id: string): Promise<Run> {
    const run = await this.#options.queue.get(id);
    if (run === null) throw new BatonError('not_found');
    if (by.role !== 'admin') await this.#find(by, run.lane);
    return run;
  }

  async #view(run: Run): Promise<RunView> {
    const costs = await this.#options.store.costsOf([run.id]);
    return toRunView(run, costs.get(run.id) ?? 0);
  }

  /** In the order they will start, which after a move is not that of their ids. */
  async #queuedAfter(sessionId: string, cursor: string | undefined, limit: number): Promise<Run[]> {
    const queued = await this.#options.queue.listQueued(sessionId, QUEUE_MAX);
    const at = cursor === undefined ? -1 : queued.findIndex((run) => run.id === cursor);
    return queued.slice(at + 1, at + 1 + limit);
  }

  async #terminate(id: string): Promise<void> {
    const { store, log } = this.#options;
    try {
      const command = { do: 'terminate', reason: 'asked' } as const;
      logChanges(log, (await store.changeSession(id, command)).changes);
    } catch (error) {
      // It had ended before.
      if (!isBatonError(error, 'session_state')) throw error;
    }
  }

  async #untilQuiet(id: string): Promise<void> {
    const until = performance.now() + DELETE_WAIT_MS;
    for (;;) {
      const found = await this.#options.store.getSession(id);
      if (found === null || found.unfinishedRuns === 0) return;
      if (performance.now() > until) {
        throw new BatonError(
          'session_busy',
          'The running agent has been told to stop and has not ended yet. Try again in a few seconds.',
        );
      }
      await delay(50);
    }
  }
}

const maySee = (by: Principal, { session }: SessionWithFacts): boolean =>
  by.role === 'admin' || session.ownerId === by.userId;

function mustBeAdmin(by: Principal): void {
  if (by.role !== 'admin') throw new BatonError('forbidden');
}

/** There is no sandbox yet: nothing may be believed to be isolated that is not. */
function refuseIsolation(isolation: CreateSession['isolation']): void {
  if (isolation === 'auto' || isolation === 'none') return;
  throw new BatonError(
    'not_available',
    `Isolation ${isolation} is not available in this version.`,
    {
      details: { field: 'isolation' },
    },
  );
}

/** One more than asked for was read, to know whether there is another page. */
function pageOf<T, V>(
  found: readonly T[],
  limit: number,
  view: (item: T) => V,
  cursorOf: (last: T) => string,
): Page<V> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items: items.map(view), nextCursor: more ? cursorOf(last) : null };
}

function definedOf<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
