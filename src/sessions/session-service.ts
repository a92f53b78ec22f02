import { setTimeout as delay } from 'node:timers/promises';
import { type Page, readPage, type Slice } from '../access/page.ts';
import { type Authorised, isAdmin, type NewAuditEntry } from '../access/principal.ts';
import type { ForkPoint } from '../agents/driver.ts';
import type { QueryOf } from '../contract/api/endpoint.ts';
import type { sessionEndpoints } from '../contract/api/sessions.ts';
import { BatonError, isBatonError } from '../contract/errors.ts';
import { defined } from '../contract/functions/defined.ts';
import type { Level } from '../contract/level.ts';
import { PROTECTED_LABELS } from '../contract/limits.ts';
import { standingOf } from '../contract/message.ts';
import type {
  AgentKind,
  CreateSession,
  ForkSession,
  Session,
  SessionAction,
  UpdateSession,
  WorkspaceProviderName,
  WorkspaceSpec,
} from '../contract/session.ts';
import { newId } from '../contract/values/ids.ts';
import type { Artefacts } from '../workspaces/artefacts.ts';
import type { WorkspaceProvider } from '../workspaces/provider.ts';
import { ofAction, ofUpdate, onSession } from './audit-details.ts';
import { findSession, levelOfListed } from './find-session.ts';
import { hostFor } from './host-service.ts';
import { cursorOf, positionAt } from './list-cursor.ts';
import { refuseSecrets, settingsOf, wordsOf } from './refuse-secrets.ts';
import { checkAgentStart } from './rules/admission-check.ts';
import type { ServiceParts } from './service-parts.ts';
import type { SessionRecord, SessionWithFacts } from './session-record.ts';
import type { Changed, NewSession, SessionStore } from './session-store.ts';
import { logChanges } from './status-log.ts';
import { toSession } from './views.ts';

/** How long a deletion waits for a running agent to stop; the stop itself may take 5 s. */
const DELETE_WAIT_MS = 10_000;

export type SessionQuery = QueryOf<typeof sessionEndpoints.listSessions>;

/** Sessions, and what people and programs can do with them. */
export interface SessionService {
  create(by: Authorised<'run'>, body: CreateSession): Promise<Session>;
  get(by: Authorised<'read'>, id: string): Promise<Session>;
  list(by: Authorised<'read'>, query: SessionQuery): Promise<Page<Session>>;
  update(by: Authorised<'run'>, id: string, body: UpdateSession): Promise<Session>;
  /** `level` is the access that the caller needs; `operate` by default. */
  act(by: Authorised<'run'>, id: string, action: SessionAction, level?: Level): Promise<Session>;
  fork(by: Authorised<'run'>, id: string, body: ForkSession): Promise<Session>;
  /** Cancels unfinished runs, waits for them to end, then removes the session. */
  remove(by: Authorised<'run'>, id: string): Promise<void>;
}

export interface SessionParts extends ServiceParts {
  readonly artefacts: Artefacts;
  readonly providerOf: (name: WorkspaceProviderName) => WorkspaceProvider;
  /** Throws `not_available` for an agent that this version cannot run. */
  readonly checkAgent: (kind: AgentKind) => void;
  /** Called when a session could not be stored, through no fault of the caller. */
  readonly onCreationFailed?: () => void;
}

export function sessionService(options: SessionParts): SessionService {
  const { store, log, masker, maskJson, providerOf, checkAgent, onWork, onCreationFailed } =
    options;

  const create = async (session: NewSession, entry: NewAuditEntry): Promise<Session> => {
    const { id, name, ownerId } = session;
    const current = await store
      .audited(entry)
      .createSession(session)
      .catch((error: unknown) => {
        // A refused request is the caller's mistake.
        if (!isBatonError(error) || error.status >= 500) onCreationFailed?.();
        throw error;
      });
    log.info({ sessionId: id, name, ownerId }, 'Session created');
    onWork();
    return toSession(current, 'own');
  };

  /** Whether the workspace exists on one host only; a new directory may be shared by all (Q23). */
  const isLocal = async ({ provider, path }: WorkspaceSpec): Promise<boolean> =>
    providerOf(provider).local && (path !== undefined || !(await store.isDataShared()));

  const changed = ({ current, changes }: Changed, level: Level): Session => {
    logChanges(log, changes);
    return toSession(current, level);
  };

  return {
    async create(by, body) {
      refuseSecrets(settingsOf(body), maskJson);
      checkAgent(body.agent.kind);
      refuseIsolation(body.isolation);
      const { host: named = null, ...workspace } = body.workspace;
      await checkAgentStart(options, by, body.agent, workspace.path ?? null);
      const host = await hostFor(store, workspace, named);
      const id = newId();
      return await create(
        {
          ...body,
          agentStanding: standingOf(by),
          workspace,
          host,
          description: masker.mask(body.description),
          id,
          ownerId: by.userId,
          templateConfig: null,
          pin: await isLocal(workspace),
          forkPoint: null,
          usageBefore: null,
          forkedFrom: null,
        },
        onSession(by, 'session.create', id, { after: { name: body.name } }),
      );
    },

    async get(by, id) {
      const { level, ...current } = await findSession(options, by, id, 'view');
      return toSession(current, level);
    },

    async list(by, query) {
      const { archived = false, order = 'created' } = query;
      const { ownerId, status, tag, label, name } = query;
      const read = ({ limit, cursor }: Slice) =>
        store.listSessions({
          archived,
          order,
          limit,
          ...defined({ ownerId, status, tag, label, name }),
          ...(cursor === undefined ? {} : { after: positionAt(order, cursor) }),
          ...(isAdmin(by) ? {} : { visibleTo: by.userId }),
        });
      const shown = (each: SessionWithFacts) => toSession(each, levelOfListed(by, each));
      return readPage(by, query, read, shown, ({ session }) => cursorOf(order, session));
    },

    async update(by, id, body) {
      const current = await findSession(options, by, id, 'operate');
      refuseSecrets(wordsOf(body), maskJson);
      const { description } = body;
      const changes =
        description === undefined ? body : { ...body, description: masker.mask(description) };
      const entry = onSession(by, 'session.update', id, ofUpdate(current, changes));
      const audited = store.audited(entry);
      return changed(await audited.changeSession(id, { do: 'update', changes }), current.level);
    },

    async act(by, id, action, level = 'operate') {
      const current = await findSession(options, by, id, level);
      const command =
        action === 'terminate' ? ({ do: action, reason: 'asked' } as const) : { do: action };
      const entry = onSession(by, `session.${action}`, id, ofAction(current, action));
      const audited = store.audited(entry);
      const session = changed(await audited.changeSession(id, command), current.level);
      onWork();
      return session;
    },

    async fork(by, id, body) {
      const { session, host, holdOnFailure } = await findSession(options, by, id, 'operate');
      refuseSecrets({ name: body.name }, maskJson);
      await checkAgentStart(options, by, session.agent, session.workspace.path ?? null);
      const made = {
        ...session,
        ...body,
        description: masker.mask(body.description ?? session.description),
        id: newId(),
        ownerId: by.userId,
        agentStanding: standingOf(by),
        labels: [],
        holdOnFailure,
        pin: await isLocal(session.workspace),
        // The agent's conversation is on that host, and so is a directory that the user named.
        host,
        // A fork that has no conversation of its own yet starts from the session it was forked
        // from, and so does a fork of that fork (X3).
        forkedFrom: session.conversation === null ? (session.forkedFrom ?? session.id) : session.id,
        forkPoint: forkPointOf(session),
      };
      const after = { name: body.name, forkedFrom: session.id };
      return create(made, onSession(by, 'session.fork', made.id, { after }));
    },

    async remove(by, id) {
      const { session } = await findSession(options, by, id, 'own');
      // `deleteSession` checks this under its lock, and only that check is reliable. It is checked
      // here as well, so that a deletion that is refused does not terminate the session first.
      if (session.labels.some((label) => PROTECTED_LABELS.includes(label))) {
        throw new BatonError('session_protected', undefined, {
          details: { labels: session.labels },
        });
      }
      // The first step that takes effect is audited, so even if the process dies right after that
      // step, the log says who acted.
      const { name, status } = session;
      const entry = onSession(by, 'session.delete', id, { before: { name, status } });
      const audited = store.audited(entry);
      const terminated = await terminate(options, audited, id);
      await untilQuiet(options, id);
      await (terminated ? store : audited).deleteSession(id);
      // Done last, and not fatal: leftover files do no harm, but a half-deleted session would.
      await providerOf(session.workspace.provider)
        .delete({ sessionId: id, spec: session.workspace })
        .catch((err: unknown) => log.warn({ sessionId: id, err }, 'Could not remove a workspace'));
      await options.artefacts
        .remove(id)
        .catch((err: unknown) => log.warn({ sessionId: id, err }, 'Could not remove artefacts'));
      log.info({ sessionId: id }, 'Session deleted');
    },
  };
}

/** False if it had already ended. */
async function terminate(
  { log }: SessionParts,
  store: Pick<SessionStore, 'changeSession'>,
  id: string,
): Promise<boolean> {
  try {
    const { changes } = await store.changeSession(id, { do: 'terminate', reason: 'asked' });
    logChanges(log, changes);
    return true;
  } catch (error) {
    if (!isBatonError(error, 'session_state')) throw error;
    return false;
  }
}

async function untilQuiet({ store }: SessionParts, id: string): Promise<void> {
  const until = performance.now() + DELETE_WAIT_MS;
  for (;;) {
    const current = await store.getSession(id);
    if (current === null || current.unfinishedRuns === 0) return;
    if (performance.now() > until) {
      throw new BatonError(
        'session_busy',
        'The running agent is stopping but has not exited yet. Try again in a few seconds.',
      );
    }
    await delay(50);
  }
}

/** The current fork point: where the last finished run left the conversation (S10). */
const forkPointOf = (session: SessionRecord): ForkPoint | null =>
  session.conversation === null
    ? session.forkPoint
    : { conversation: session.conversation, head: session.conversationHead };

/** There is no sandbox yet, so a request for isolation is refused rather than ignored. */
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
