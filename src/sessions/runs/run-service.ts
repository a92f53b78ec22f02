import { readPage, type Slice } from '../../access/page.ts';
import { isAdmin, type NewAuditEntry, type Principal } from '../../access/principal.ts';
import { requireRight } from '../../access/require-right.ts';
import { capabilitiesOf } from '../../contract/agent-kinds.ts';
import { BatonError, isBatonError } from '../../contract/errors.ts';
import type { AgentPayload, MessageReceipt } from '../../contract/message.ts';
import { isTerminal, type Run } from '../../contract/run.ts';
import type { RunView } from '../../contract/run-view.ts';
import { onRun, onSession } from '../audit-details.ts';
import { takeAttachments } from '../messages/attachments.ts';
import {
  type AdmissionParts,
  admissionOf,
  newRunId,
  openOriginal,
  refuseMask,
  steerOf,
  storeMessage,
  takenOverBy,
} from '../messages/messages.ts';
import { refuseSecrets } from '../refuse-secrets.ts';
import { checkAdmission } from '../rules/admission-check.ts';
import { mustBeRules } from '../rules/rule-service.ts';
import type { SessionService } from '../service.ts';
import {
  findRun,
  findRunToChange,
  findSession,
  findToChange,
  QUEUE_MAX,
  type ServiceParts,
} from '../service-parts.ts';
import type { RunEdit, SendRequest, Sent } from '../session-store.ts';
import { logChanges } from '../status-log.ts';
import { toInvocation, toRunView } from '../views.ts';

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
  | 'stats'
>;

/** Messages, and the runs that they become. */
export function runService(parts: ServiceParts): RunService {
  const { store, queue, log, masker, maskJson, onWork, queueMax = QUEUE_MAX } = parts;

  const view = async (run: Run): Promise<RunView> => {
    const costs = await store.costsOf([run.id]);
    return toRunView(run, costs.get(run.id) ?? 0);
  };

  const newMessage = async (by: Principal, run: Run, message: string): Promise<RunEdit> => {
    if (run.type !== 'agent') throw new BatonError('invalid_request', 'The run has no message.');
    refuseMask(message, masker);
    const before = run.payload as AgentPayload;
    const { allowedTools, disallowedTools } = before;
    const tools = { allowedTools, disallowedTools };
    const runsInShell = await checkAdmission(parts, by, { sessionId: run.lane, message, ...tools });
    const stored = storeMessage(message, run.lane, { ...parts, runsInShell });
    const payload = {
      ...takenOverBy(by, before),
      message: stored.message,
      original: stored.original !== null,
    };
    return { payload: JSON.stringify(payload), original: stored.original };
  };

  /** The payload for a retry; undefined for a run that did not come from a person. */
  const payloadAgain = async (by: Principal, run: Run): Promise<string | undefined> => {
    if (run.type !== 'agent') return undefined;
    const before = run.payload as AgentPayload;
    const { allowedTools, disallowedTools } = before;
    const sealed = before.original ? await store.readOriginal(run.id) : null;
    const message = sealed === null ? before.message : openOriginal(sealed, run.lane, parts.box);
    const tools = { allowedTools, disallowedTools };
    await checkAdmission(parts, by, { sessionId: run.lane, message, ...tools });
    return JSON.stringify(takenOverBy(by, before));
  };

  /** The store checks access as it inserts; only after a refusal is the reason looked up. */
  const sendAs = async (
    by: Principal,
    request: SendRequest,
    entry: NewAuditEntry,
  ): Promise<Sent> => {
    const asWhom = isAdmin(by) ? {} : { userId: by.userId };
    try {
      return await store.audited(entry).sendMessage({ ...request, ...asWhom });
    } catch (error) {
      if (isBatonError(error, 'not_found')) await findToChange(parts, by, request.sessionId);
      throw error;
    }
  };

  const steer = async (
    by: Principal,
    message: AdmissionParts,
    entry: NewAuditEntry,
  ): Promise<MessageReceipt> => {
    const { sessionId } = message;
    const { session } = await findToChange(parts, by, sessionId);
    const request = steerOf(message, queueMax);
    if (!capabilitiesOf(session.agent.kind).steers) throw new BatonError('cannot_steer');
    const { runId, state, known } = await store.audited(entry).steerMessage(request);
    if (!known) log.info({ sessionId, runId }, 'Steered');
    return { runId, sessionId, status: state, position: 0 };
  };

  return {
    async send(by, id, body, idempotencyKey) {
      requireRight(by, 'run');
      const { allowedTools, disallowedTools } = body;
      mustBeRules('allowedTools', allowedTools ?? []);
      mustBeRules('disallowedTools', disallowedTools ?? []);
      refuseSecrets({ allowedTools, disallowedTools }, maskJson);
      const { message } = body;
      const tools = { allowedTools, disallowedTools };
      const runsInShell = await checkAdmission(parts, by, { sessionId: id, message, ...tools });
      const runId = newRunId();
      const stored = storeMessage(message, id, { ...parts, runsInShell });
      const { stored: attachments, notes: files } = takeAttachments(
        body.attachments ?? [],
        id,
        parts,
      );
      const { box } = parts;
      const whole = {
        sessionId: id,
        by,
        body,
        runId,
        stored,
        files,
        idempotencyKey,
        maskJson,
        box,
      };
      const after = { onBusy: body.onBusy, chars: body.message.length };
      const entry = onSession(by, 'message.send', id, { after });
      if (body.onBusy === 'steer') return steer(by, whole, entry);
      const admission = admissionOf(whole);
      const { original } = stored;
      const request = { sessionId: id, admission, original, attachments, queueMax };
      const sent = await sendAs(by, request, entry);
      logChanges(log, sent.changes);
      const { known, position } = sent.receipt;
      const receipt = {
        runId: sent.receipt.id,
        sessionId: id,
        status: 'queued',
        position,
      } as const;
      if (!known) log.info({ sessionId: id, runId: receipt.runId, type: 'agent' }, 'Enqueued');
      if (sent.changes.length > 0) onWork();
      return parts.isStopped() ? { ...receipt, stopped: true } : receipt;
    },

    async listRuns(by, { sessionId, state, order, ...page }) {
      if (sessionId !== undefined) await findSession(parts, by, sessionId, 'view');
      const list = ({ limit, cursor }: Slice): Promise<Run[]> => {
        // Queued runs are listed in the order they will start. After a move, that is not the order
        // of their ids.
        if (sessionId !== undefined && state === 'queued' && order === undefined)
          return queue.listQueued(sessionId, limit, cursor);
        const filter = {
          limit,
          ...(sessionId === undefined ? {} : { lane: sessionId }),
          ...(state === undefined ? {} : { states: [state] }),
          ...(cursor === undefined ? {} : { after: cursor }),
          ...(order === 'newest' ? { newestFirst: true } : {}),
        };
        return sessionId === undefined && !isAdmin(by)
          ? store.listVisibleRuns(by.userId, filter)
          : queue.list(filter);
      };
      const read = async (slice: Slice): Promise<RunView[]> => {
        const runs = await list(slice);
        const costs = await store.costsOf(runs.map((run) => run.id));
        return runs.map((run) => toRunView(run, costs.get(run.id) ?? 0));
      };
      return readPage(
        page,
        read,
        (run) => run,
        ({ id }) => id,
      );
    },

    getRun: async (by, id) => view(await findRun(parts, by, id, 'view')),

    async editRun(by, id, { message, before }) {
      const run = await findRunToChange(parts, by, id);
      const edit = message === undefined ? {} : await newMessage(by, run, message);
      const move = before === undefined ? {} : { before };
      const chars = message === undefined ? {} : { chars: message.length };
      const entry = onRun(by, 'run.edit', id, { after: { ...chars, ...move } });
      return view(await store.audited(entry).editRun(id, { ...edit, ...move }));
    },

    async removeRun(by, id) {
      const { state } = await findRunToChange(parts, by, id);
      const entry = onRun(by, 'run.remove', id, { before: { state } });
      await store.audited(entry).change({ do: 'remove', run: id });
    },

    async cancelRun(by, id) {
      const { state } = await findRunToChange(parts, by, id);
      const audited = store.audited(onRun(by, 'run.cancel', id, { before: { state } }));
      return view(await queue.cancel(id, 'stop', audited));
    },

    async retryRun(by, id) {
      const run = await findRunToChange(parts, by, id);
      // Its payload is final only once the run has finished.
      if (!isTerminal(run.state)) {
        throw new BatonError('run_not_finished', undefined, { details: { state: run.state } });
      }
      const payload = await payloadAgain(by, run);
      const fresh = newRunId();
      const entry = onRun(by, 'run.retry', id, { after: { runId: fresh } });
      logChanges(log, (await store.audited(entry).retryRun(id, fresh, queueMax, payload)).changes);
      onWork();
      return view(await findRunToChange(parts, by, fresh));
    },

    async invocations(by, runId) {
      await findRun(parts, by, runId, 'view');
      return (await store.listInvocations(runId)).map(toInvocation);
    },

    counts: (by) => (isAdmin(by) ? queue.counts() : store.countVisible(by.userId)),

    stats: (by) => store.stats(isAdmin(by) ? null : by.userId),
  };
}
