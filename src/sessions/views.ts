import type { Level } from '../contract/level.ts';
import type { AgentPayload } from '../contract/message.ts';
import { type Run, statusOf } from '../contract/run.ts';
import type { Invocation, RunView } from '../contract/run-view.ts';
import type { Session } from '../contract/session.ts';
import type { SessionHint } from '../contract/session-event.ts';
import { toTime, toTimeOrNull } from '../contract/values/time.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { InvocationRecord } from './session-store.ts';

/* Converts rows to what the API returns (SPEC §12). */

export function toSession(current: SessionWithFacts, level: Level): Session {
  const { session, share: _share, ...facts } = current;
  const { workspacePath, conversation: _, usageBefore: __, readyAt: ___, ...rest } = session;
  const { conversationHead: ____, forkPoint: _____, agentStanding: ______, ...shown } = rest;
  return {
    ...shown,
    ...facts,
    level,
    tags: [...session.tags],
    labels: [...session.labels],
    workspace: { ...session.workspace, path: workspacePath ?? session.workspace.path ?? null },
    delayedUntil: toTimeOrNull(facts.delayedUntil),
    destroyAt: toTimeOrNull(session.destroyAt),
    lastActiveAt: toTime(session.lastActiveAt),
    lastOutputAt: toTimeOrNull(session.lastOutputAt),
    archivedAt: toTimeOrNull(session.archivedAt),
    createdAt: toTime(session.createdAt),
    updatedAt: toTime(session.updatedAt),
  };
}

export const toHint = (current: SessionWithFacts): SessionHint => ({
  sessionId: current.session.id,
  lastSeq: current.lastSeq,
  status: current.session.status,
  held: current.held,
  delayedUntil: toTimeOrNull(current.delayedUntil),
  unfinishedRuns: current.unfinishedRuns,
  openQuestions: current.openQuestions,
  lastActiveAt: toTime(current.session.lastActiveAt),
  updatedAt: toTime(current.session.updatedAt),
});

export function toRunView(run: Run, costUsd: number): RunView {
  const payload = run.type === 'agent' ? (run.payload as Partial<AgentPayload> | null) : null;
  return {
    id: run.id,
    sessionId: run.lane,
    type: run.type,
    state: run.state,
    status: statusOf(run.state),
    message: payload?.message ?? null,
    channel: payload?.channel ?? null,
    sender: payload?.sender ?? null,
    attachments: payload?.attachments ?? [],
    attempts: run.attempts,
    maxAttempts: run.maxAttempts,
    crashes: run.crashes,
    retryOf: run.retryOf,
    createdAt: toTime(run.createdAt),
    startedAt: toTimeOrNull(run.startedAt),
    finishedAt: toTimeOrNull(run.finishedAt),
    runAt: toTimeOrNull(run.runAt),
    nextRunAt: toTimeOrNull(run.nextRunAt),
    cancelRequestedAt: toTimeOrNull(run.cancelRequestedAt),
    error: run.error,
    costUsd,
    result: run.result,
  };
}

export function toInvocation(record: InvocationRecord): Invocation {
  const { startedAt, finishedAt } = record;
  return {
    ...record,
    startedAt: toTime(startedAt),
    finishedAt: toTimeOrNull(finishedAt),
    durationMs: finishedAt === null ? null : finishedAt - startedAt,
  };
}
