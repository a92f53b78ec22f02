import { BatonError } from '../../contract/errors.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { readAttachments } from './sessions/attachments.ts';
import { listCosts } from './sessions/costs.ts';
import * as invocations from './sessions/invocations.ts';
import { listLeftWorkspaces } from './sessions/remove.ts';
import { readOriginal } from './sessions/send.ts';
import * as reads from './sessions/session-reads.ts';
import { readSetting } from './sessions/settings.ts';
import { readSnapshot } from './sessions/snapshots.ts';
import { stats } from './sessions/stats.ts';
import { countVisible, listVisibleRuns } from './sessions/visible.ts';
import type { StoreParts } from './store.ts';

/** The session port, built on the operations and the same for every database. */
export function sessionStoreOver({
  dialect,
  call,
  read,
}: Pick<StoreParts, 'dialect' | 'call' | 'read'>): SessionStore {
  return {
    createSession: (session) => call('createSession', session),
    getSession: (id) => read(reads.getSession(dialect, id)),
    getSessionFor: (id, userId) => read(reads.getSessionFor(dialect, id, userId)),
    listSessions: (filter) => read(reads.listSessions(dialect, filter)),
    changeSession: (id, command) => call('changeSession', id, command),
    sendMessage: (request) => call('sendMessage', request),
    editRun: (runId, edit) => call('editRun', runId, edit),
    retryRun: (...given) => call('retryRun', ...given),
    readOriginal: (runId) => read(readOriginal(runId)),
    readAttachments: (runId) => read(readAttachments(runId)),
    async deleteSession(id) {
      // Thrown after the commit: the request to cancel the executing run must be kept.
      if (!(await call('deleteSession', id))) throw new BatonError('session_busy');
    },
    openConnections: (key, connections) => call('openConnections', key, connections),
    closeConnections: (ids) => call('closeConnections', ids),
    reconcileSessions: (limit) => call('reconcileSessions', limit),
    listPending: (host, limit) => read(reads.listPending(dialect, host, limit)),
    putInvocation: (invocation, turn) => call('putInvocation', invocation, turn ?? null),
    listInvocations: (runId) => read(invocations.listInvocations(runId)),
    listUnfinished: (sessionId) => read(invocations.listUnfinished(sessionId)),
    sumInvocations: (sessionId) => read(invocations.sumInvocations(sessionId)),
    sumByModel: (sessionId) => read(invocations.sumByModel(sessionId)),
    listCosts: (filter) => read(listCosts(filter)),
    putSnapshot: (snapshot) => call('putSnapshot', snapshot),
    readSnapshot: (runId) => read(readSnapshot(runId)),
    costsOf: (runIds) => read(invocations.costsOf(dialect, runIds)),
    countSessions: () => read(reads.countSessions(null)),
    countPending: (ageMs) => read(reads.countPending(dialect, ageMs)),
    listVisibleRuns: (userId, filter) => read(listVisibleRuns(dialect, userId, filter)),
    countVisible: (userId) => read(countVisible(userId)),
    stats: (visibleTo) => read(stats(dialect, visibleTo)),
    listLeftWorkspaces: (host, limit) => read(listLeftWorkspaces(host, limit)),
    forgetLeftWorkspace: (sessionId) => call('forgetLeftWorkspace', sessionId),
    readSetting: (name) => read(readSetting(name)),
    putSettingOnce: (name, value) => call('putSettingOnce', name, value),
  };
}
