import { type Page, readPage, type Slice } from '../../access/page.ts';
import { type Authorised, entryOf, isAdmin, type Principal } from '../../access/principal.ts';
import type { approvalEndpoints } from '../../contract/api/approvals.ts';
import type { QueryOf } from '../../contract/api/endpoint.ts';
import type { Approval, ApprovalOriginal, DecideApproval } from '../../contract/approval.ts';
import { BatonError } from '../../contract/errors.ts';
import { defined } from '../../contract/functions/defined.ts';
import type { Level } from '../../contract/level.ts';
import { AgentPayload, standingOf } from '../../contract/message.ts';
import type { Json } from '../../contract/values/json.ts';
import { toTime, toTimeOrNull } from '../../contract/values/time.ts';
import { strictest } from '../../policy/tools/decide.ts';
import { ruleFor } from '../../policy/tools/rule-for.ts';
import { findSession } from '../find-session.ts';
import { openOriginal } from '../messages/messages.ts';
import { judgeAsWritten } from '../rules/judge-call.ts';
import { judgeAll, locationOf } from '../rules/tool-scopes.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { SessionWithFacts } from '../session-record.ts';
import type { ApprovalAnswer, ApprovalRecord } from './approval-store.ts';
import { openCall } from './call-original.ts';
import { storeInput } from './edited-input.ts';

export type ApprovalQuery = QueryOf<typeof approvalEndpoints.listApprovals>;

/**
 * Agents' questions: visible to those who can see the session, and answered by those who may
 * operate it (A7).
 */
export interface ApprovalService {
  list(by: Authorised<'read'>, query: ApprovalQuery): Promise<Page<Approval>>;
  get(by: Authorised<'read'>, id: string): Promise<Approval>;
  /** Works exactly once. After that, or once the run has ended, throws `approval_decided`. */
  decide(by: Authorised<'run'>, id: string, body: DecideApproval): Promise<Approval>;
  /**
   * The unmasked call, for people who may answer it, even after it has been answered. Audited (P4).
   */
  reveal(by: Authorised<'run' | 'read'>, id: string): Promise<ApprovalOriginal>;
}

export function approvalService(parts: ServiceParts): ApprovalService {
  const { store, log } = parts;

  const find = async (id: string): Promise<ApprovalRecord> => {
    const approval = await store.getApproval(id);
    if (approval === null) throw new BatonError('not_found');
    return approval;
  };

  return {
    async list(by, { state, sessionId, ...page }) {
      if (sessionId !== undefined) await findSession(parts, by, sessionId, 'view');
      const read = ({ limit, cursor }: Slice) =>
        store.listApprovals({
          limit,
          ...defined({ state, sessionId, before: cursor }),
          ...(isAdmin(by) ? {} : { visibleTo: by.userId }),
        });
      return readPage(
        by,
        page,
        read,
        (one) => toApproval(one, one.share ?? 'own', one.workspacePath, parts),
        ({ id }) => id,
      );
    },

    async get(by, id) {
      const approval = await find(id);
      const { level, session } = await findSession(parts, by, approval.sessionId, 'view');
      return toApproval(approval, level, session.workspacePath, parts);
    },

    async decide(by, id, body) {
      const approval = await find(id);
      const current = await findSession(parts, by, approval.sessionId, 'operate');
      // The store checks this again under its lock, where two answers meet; only that check is
      // reliable. The check here comes first because other errors in a late answer do not matter.
      if (approval.state !== 'pending') {
        const { state, decidedBy } = approval;
        throw new BatonError('approval_decided', undefined, { details: { state, decidedBy } });
      }
      const answer = answerOf(approval, body, by, current, parts);
      if (body.input !== undefined) await checkEditedInput(approval, body.input, by, parts);
      const { decision, scope, rule } = answer;
      const edited = answer.editedInput !== null;
      const entry = entryOf(
        by,
        'approval.decide',
        { kind: 'approval', id },
        { after: { decision, scope, edited, tool: approval.tool, rule } },
      );
      const decided = await store.audited(entry).decideApproval(id, answer);
      const { sessionId, runId, tool } = approval;
      log.info({ sessionId, runId, approvalId: id, tool, decision }, 'Question answered');
      return toApproval(decided, current.level, current.session.workspacePath, parts);
    },

    async reveal(by, id) {
      const approval = await find(id);
      await findSession(parts, by, approval.sessionId, 'operate');
      const { sessionId, tool, masked, input, editedInput, sealedInput } = approval;
      const target = { kind: 'approval', id } as const;
      const entry = entryOf(by, 'approval.reveal', target, { after: { tool, sessionId } });
      const sealed = await store.audited(entry).readCall(id);
      if (masked && sealed === null) throw new BatonError('not_found', NOT_KEPT);
      return {
        input: sealed === null ? input : openCall(sealed, id, parts.box),
        editedInput:
          sealedInput === null
            ? editedInput
            : (JSON.parse(openOriginal(sealedInput, sessionId, parts.box)) as Json),
      };
    },
  };
}

const NOT_KEPT =
  'The original input of this call was not stored, because an older version of Baton requested the approval.';

/**
 * Editing the input makes it a different call, which the rules must not deny to the run or to the
 * person who edited it (P2, P3).
 */
async function checkEditedInput(
  { tool, kind, sessionId, runId }: ApprovalRecord,
  input: NonNullable<DecideApproval['input']>,
  by: Principal,
  parts: ServiceParts,
): Promise<void> {
  const { store, queue, ownFiles } = parts;
  const payload = AgentPayload.safeParse((await queue.get(runId))?.payload);
  if (!payload.success || kind !== 'tool') return;
  const [rules, others] = await Promise.all([store.rulesFor(sessionId), store.speakersIn(runId)]);
  const location = locationOf(rules?.workspacePath, parts);
  const verdict = strictest([
    judgeAll({ tool, input }, location, payload.data, others, rules),
    judgeAsWritten({ tool, input }, location, standingOf(by), rules, ownFiles),
  ]);
  if (verdict.decision !== 'deny') return;
  const why = `The tool rules do not allow this input: ${verdict.reason}.`;
  throw new BatonError('policy_denied', why, { details: { verdict } });
}

function answerOf(
  approval: ApprovalRecord,
  { decision, scope, message, input }: DecideApproval,
  by: Principal,
  current: SessionWithFacts,
  parts: ServiceParts,
): ApprovalAnswer {
  if (decision === 'deny') {
    if (input !== undefined) throw bad('input', 'A denied call cannot have edited input.');
    if (scope === 'session')
      throw bad('scope', 'A denial applies only once. To always deny it, add a rule.');
  }
  if (decision === 'allow' && approval.kind === 'question' && input === undefined) {
    throw new BatonError('invalid_input', 'input.answers: is required to answer a question', {
      details: { field: 'input.answers' },
    });
  }
  const stored =
    input === undefined
      ? { editedInput: null, sealedInput: null }
      : storeInput(approval, input, parts);
  return {
    decision,
    scope,
    message: message === undefined ? null : parts.masker.mask(message),
    ...stored,
    decidedBy: by.userId,
    answerStanding: message === undefined && input === undefined ? null : standingOf(by),
    rule: scope === 'session' ? ruleToAdd(approval, stored.editedInput, current, parts) : null,
  };
}

function ruleToAdd(
  approval: ApprovalRecord,
  editedInput: ApprovalRecord['editedInput'],
  { session }: SessionWithFacts,
  parts: ServiceParts,
): string {
  if (approval.kind !== 'tool') throw bad('scope', 'An answer to a question applies only once.');
  if (approval.enforced) throw bad('scope', ENFORCED);
  const rule = ruleOf({ ...approval, editedInput }, session.workspacePath, parts);
  if (rule === null) throw bad('scope', 'No rule would match only this call. Allow it once.');
  return rule;
}

const ENFORCED =
  'An enforced rule requires approval for this, and session rules cannot override it. Allow it once.';

/**
 * The rule that the answer "for this session" adds. It covers the edited input, if there is one.
 */
function ruleOf(
  { kind, tool, input, editedInput, enforced }: ApprovalRecord,
  workspacePath: string | null,
  { masker }: ServiceParts,
): string | null {
  if (kind !== 'tool' || enforced) return null;
  const rule = ruleFor({ tool, input: editedInput ?? input, cwd: workspacePath ?? undefined });
  // If a secret in the rule was masked, the rule would never match.
  return rule === null || masker.hasMask(rule) ? null : rule;
}

const bad = (field: string, message: string): BatonError =>
  new BatonError('invalid_request', message, { details: { field } });

const toApproval = (
  record: ApprovalRecord,
  level: Level,
  workspacePath: string | null,
  parts: ServiceParts,
): Approval => ({
  id: record.id,
  sessionId: record.sessionId,
  level,
  runId: record.runId,
  attempt: record.attempt,
  kind: record.kind,
  tool: record.tool,
  input: record.input,
  masked: record.masked,
  reason: record.reason,
  state: record.state,
  scope: record.scope,
  sessionRule: ruleOf(record, workspacePath, parts),
  message: record.message,
  editedInput: record.editedInput,
  decidedBy: record.decidedBy,
  createdAt: toTime(record.createdAt),
  decidedAt: toTimeOrNull(record.decidedAt),
});
