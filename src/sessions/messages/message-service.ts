import {
  type Authorised,
  isAdmin,
  type NewAuditEntry,
  type Principal,
} from '../../access/principal.ts';
import { capabilitiesOf } from '../../contract/agent-kinds.ts';
import { BatonError, isBatonError } from '../../contract/errors.ts';
import type { MessageReceipt, MessageRequest } from '../../contract/message.ts';
import type { AgentKind } from '../../contract/session.ts';
import { newId } from '../../contract/values/ids.ts';
import { onSession } from '../audit-details.ts';
import { findSession } from '../find-session.ts';
import { refuseSecrets } from '../refuse-secrets.ts';
import { checkAdmission } from '../rules/admission-check.ts';
import { mustBeRules } from '../rules/rule-service.ts';
import { QUEUE_MAX, type ServiceParts } from '../service-parts.ts';
import type { SendRequest, Sent } from '../session-store.ts';
import { logChanges } from '../status-log.ts';
import type { ArrivalOrder } from './arrival-order.ts';
import { type TakenAttachments, takeAttachments } from './attachments.ts';
import { type AdmissionParts, admissionOf, steerOf, storeMessage } from './messages.ts';

/** Messages to agents. Each message becomes a run, or steers one that is executing. */
export interface MessageService {
  send(
    by: Authorised<'run'>,
    sessionId: string,
    body: MessageRequest,
    idempotencyKey: string | null,
  ): Promise<MessageReceipt>;
}

export function messageService(parts: ServiceParts, order: ArrivalOrder): MessageService {
  const { store, log, maskJson, onWork, queueMax = QUEUE_MAX } = parts;

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
      if (isBatonError(error, 'not_found'))
        await findSession(parts, by, request.sessionId, 'operate');
      throw error;
    }
  };

  const steer = async (
    message: AdmissionParts,
    agent: AgentKind,
    entry: NewAuditEntry,
  ): Promise<MessageReceipt> => {
    const { sessionId } = message;
    const request = steerOf(message, queueMax);
    if (!capabilitiesOf(agent).steers) throw new BatonError('cannot_steer');
    const { runId, state, known } = await store.audited(entry).steerMessage(request);
    if (!known) log.info({ sessionId, runId }, 'Steered');
    return { runId, sessionId, status: state, position: 0 };
  };

  const enqueue = async (
    by: Principal,
    message: AdmissionParts,
    attachments: TakenAttachments['stored'],
    entry: NewAuditEntry,
  ): Promise<MessageReceipt> => {
    const { sessionId, stored } = message;
    const { original } = stored;
    const admission = admissionOf(message);
    const request = { sessionId, admission, original, attachments, queueMax };
    const sent = await sendAs(by, request, entry);
    logChanges(log, sent.changes);
    const { known, position, id: runId } = sent.receipt;
    const receipt = { runId, sessionId, status: 'queued', position } as const;
    if (!known) log.info({ sessionId, runId, type: 'agent' }, 'Enqueued');
    if (sent.changes.length > 0) onWork();
    return parts.isStopped() ? { ...receipt, stopped: true } : receipt;
  };

  return {
    async send(by, id, body, idempotencyKey) {
      const { allowedTools, disallowedTools } = body;
      mustBeRules('allowedTools', allowedTools ?? []);
      mustBeRules('disallowedTools', disallowedTools ?? []);
      refuseSecrets({ allowedTools, disallowedTools }, maskJson);
      const { message } = body;
      const prepare = async () => {
        const tools = { allowedTools, disallowedTools };
        const runsInShell = await checkAdmission(parts, by, { sessionId: id, message, ...tools });
        const stored = await storeMessage(by, message, id, { ...parts, runsInShell });
        const attachments = takeAttachments(body.attachments ?? [], id, parts);
        if (body.onBusy !== 'steer') return { stored, attachments, steers: null };
        const { session } = await findSession(parts, by, id, 'operate');
        return { stored, attachments, steers: session.agent.kind };
      };
      return order.pass(by, id, prepare, ({ stored, attachments, steers }) => {
        const { stored: contents, notes: files } = attachments;
        const { box } = parts;
        const whole = {
          sessionId: id,
          by,
          body,
          runId: newId(),
          stored,
          files,
          idempotencyKey,
          maskJson,
          box,
        };
        const after = { onBusy: body.onBusy, chars: body.message.length };
        const entry = onSession(by, 'message.send', id, { after });
        return steers === null ? enqueue(by, whole, contents, entry) : steer(whole, steers, entry);
      });
    },
  };
}
