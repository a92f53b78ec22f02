import { BatonError, isBatonError } from '../contract/errors.ts';
import type { Json } from '../contract/json.ts';
import type { Run } from '../contract/run.ts';
import type { RunView } from '../contract/run-view.ts';
import {
  findRun,
  findSession,
  mustBeAdmin,
  PAGE_DEFAULT,
  pageOf,
  QUEUE_MAX,
  type ServiceParts,
} from './access.ts';
import { admissionOf, newRunId, refuseMask, storeMessage } from './messages.ts';
import type { SessionService } from './service.ts';
import type { RunEdit } from './session-store.ts';
import { logChanges } from './status-log.ts';
import { toInvocation, toRunView } from './views.ts';

type RunService = Pick<
  SessionService,
  | 'send'
  | 'listRuns'
  | 'getRun'
  | 'editRun'
  | 'removeRun'
  | 'cancelRun'
  | 'retryRun'
  | 'invocations'
  | 'counts'
>;

/** Messages, and the runs they become. */
export function runService(parts: ServiceParts): RunService {
  const { store, queue, log, masker, maskJson, onWork } = parts;

  const view = async (run: Run): Promise<RunView> => {
    const costs = await store.costsOf([run.id]);
    return toRunView(run, costs.get(run.id) ?? 0);
  };

  /** In the order they will start, which after a move is not that of their ids. */
  const queuedAfter = async (
    sessionId: string,
    cursor: string | undefined,
    limit: number,
  ): Promise<Run[]> => {
    const queued = await queue.listQueued(sessionId, QUEUE_MAX);
    const at = cursor === undefined ? -1 : queued.findIndex((run) => run.id === cursor);
    return queued.slice(at + 1, at + 1 + limit);
  };

  const newMessage = (run: Run, message: string): RunEdit => {
    if (run.type !== 'agent') throw new BatonError('invalid_request', 'The run has no message.');
    refuseMask(message, masker);
    const stored = storeMessage(message, run.lane, parts);
    const payload = {
      ...(run.payload as Record<string, Json>),
      message: stored.message,
      original: stored.original !== null,
    };
    return { payload: JSON.stringify(payload), original: stored.original };
  };

  return {
    async send(by, id, body, idempotencyKey) {
      const runId = newRunId();
      const stored = storeMessage(body.message, id, parts);
      const admission = admissionOf({
        sessionId: id,
        by,
        body,
        runId,
        stored,
        idempotencyKey,
        maskJson,
      });
      const request = {
        sessionId: id,
        ...(by.role === 'admin' ? {} : { ownerId: by.userId }),
        admission,
        original: stored.original,
        queueMax: QUEUE_MAX,
      };
      const sent = await store.sendMessage(request).catch((error: unknown) => {
        const busy = isBatonError(error, 'session_busy');
        throw busy && body.onBusy === 'steer' ? new BatonError('cannot_steer') : error;
      });
      logChanges(log, sent.changes);
      const { receipt } = sent;
      if (!receipt.known) log.info({ sessionId: id, runId: receipt.id, type: 'agent' }, 'Enqueued');
      onWork();
      return { runId: receipt.id, sessionId: id, status: 'queued', position: receipt.position };
    },

    async listRuns(by, { sessionId, state, limit = PAGE_DEFAULT, cursor }) {
      if (sessionId === undefined) mustBeAdmin(by);
      else await findSession(parts, by, sessionId);
      const runs =
        sessionId !== undefined && state === 'queued'
          ? await queuedAfter(sessionId, cursor, limit + 1)
          : await queue.list({
              limit: limit + 1,
              ...(sessionId === undefined ? {} : { lane: sessionId }),
              ...(state === undefined ? {} : { states: [state] }),
              ...(cursor === undefined ? {} : { after: cursor }),
            });
      const costs = await store.costsOf(runs.map((run) => run.id));
      const shown = (run: Run): RunView => toRunView(run, costs.get(run.id) ?? 0);
      return pageOf(runs, limit, shown, (last) => last.id);
    },

    getRun: async (by, id) => view(await findRun(parts, by, id)),

    async editRun(by, id, { message, before }) {
      const run = await findRun(parts, by, id);
      const edit = message === undefined ? {} : newMessage(run, message);
      return view(
        await store.editRun(id, { ...edit, ...(before === undefined ? {} : { before }) }),
      );
    },

    async removeRun(by, id) {
      await findRun(parts, by, id);
      await queue.remove(id);
    },

    async cancelRun(by, id) {
      await findRun(parts, by, id);
      return view(await queue.cancel(id));
    },

    async retryRun(by, id) {
      await findRun(parts, by, id);
      const fresh = newRunId();
      logChanges(log, (await store.retryRun(id, fresh)).changes);
      onWork();
      return view(await findRun(parts, by, fresh));
    },

    async invocations(by, runId) {
      await findRun(parts, by, runId);
      return (await store.listInvocations(runId)).map(toInvocation);
    },

    async counts(by) {
      mustBeAdmin(by);
      return queue.counts();
    },
  };
}
