import { BatonError } from '../../../../contract/errors.ts';
import { isTerminal } from '../../../../contract/run.ts';
import type { LaneChange, RunCore } from '../../../../queue/machine/lane-change.ts';
import { answer } from '../../../../queue/machine/lane-machine.ts';
import type {
  ApprovalAnswer,
  ApprovalRecord,
} from '../../../../sessions/approvals/approval-store.ts';
import { plain } from '../../../session-rows.ts';
import { type Op, query } from '../../../statement.ts';
import { type Dialect, type Done, done, NO_HINT } from '../../dialect.ts';
import { getApproval, hasOpen } from './approval-reads.ts';
import { type LockedApproval, lockApproval } from './lock.ts';
import { allowInSession } from './rules.ts';

/**
 * Runs under the lane's lock: if several answers arrive at once, the first is used and the others
 * are refused.
 */
export function* decideApproval(
  dialect: Dialect,
  now: number,
  id: string,
  given: ApprovalAnswer,
): Op<Done<ApprovalRecord>> {
  const locked = yield* lockApproval(dialect, now, id);
  mustBeOpen(locked);
  const { change, core, approval } = locked;
  const { decision, scope, message, editedInput, sealedInput, decidedBy, rule } = given;
  const { answerStanding } = given;
  yield* query(
    `UPDATE approvals SET state = $2, scope = $3, message = $4, edited_input = $5, sealed_input = $6,
       decided_by = $7, decided_at = $8, answer_standing = $9 WHERE id = $1`,
    [
      id,
      decision === 'allow' ? 'allowed' : 'denied',
      scope,
      plain(message),
      JSON.stringify(editedInput),
      sealedInput,
      decidedBy,
      now,
      answerStanding && JSON.stringify(answerStanding),
    ],
  );
  if (rule !== null) yield* allowInSession(now, approval.sessionId, rule);
  change.log(
    'approval.decided',
    {
      approvalId: id,
      callId: approval.callId,
      decision,
      scope,
      by: decidedBy,
      edited: editedInput !== null,
    },
    core,
  );
  if (core.state === 'waiting') answer(change, core);
  yield* dialect.save([change]);
  return done((yield* getApproval(id))!, [change]);
}

function mustBeOpen({ approval, core }: LockedApproval): void {
  const { state, decidedBy } = approval;
  if (state !== 'pending') {
    throw new BatonError('approval_decided', undefined, { details: { state, decidedBy } });
  }
  if (isTerminal(core.state) || core.cancelRequestedAt !== null) {
    const how = isTerminal(core.state) ? 'has ended' : 'is being cancelled';
    throw new BatonError('approval_decided', `The run that asked this question ${how}.`, {
      details: { state, run: core.state },
    });
  }
}

/** The same attempt may repeat this, because the acknowledgement may have been lost. */
const USE = `UPDATE approvals SET used_at = coalesce(used_at, $3), used_fence = $2
  WHERE id = $1 AND state IN ('allowed', 'denied') AND coalesce(used_fence, $2) = $2 RETURNING id`;

/** Only the attempt that holds the run may use an answer. */
export function* useApproval(
  dialect: Dialect,
  now: number,
  id: string,
  fence: number,
): Op<Done<boolean>> {
  const { change, approval } = yield* lockApproval(dialect, now, id);
  const held = change.lane.runId === approval.runId && change.lane.fence === fence;
  const given = held ? yield* query(USE, [id, fence, now]) : [];
  return { value: given.length > 0, hint: NO_HINT };
}

export function* withdrawApproval(
  dialect: Dialect,
  now: number,
  id: string,
  reason: string,
): Op<Done<void>> {
  const { change, approval, core } = yield* lockApproval(dialect, now, id);
  if (approval.state !== 'pending') {
    return { value: undefined, hint: NO_HINT, changed: false };
  }
  yield* withdraw(change, approval, isTerminal(core.state) ? null : core, reason);
  if (core.state === 'waiting' && !(yield* hasOpen(core.id))) answer(change, core);
  yield* dialect.save([change]);
  return done(undefined, [change]);
}

/** No event of a run may follow its end, so `run` is null if the run has ended. */
export function* withdraw(
  change: LaneChange,
  { id, callId }: ApprovalRecord,
  run: RunCore | null,
  reason: string,
): Op<void> {
  yield* query(`UPDATE approvals SET state = 'withdrawn', decided_at = $2 WHERE id = $1`, [
    id,
    change.now,
  ]);
  change.log('approval.withdrawn', { approvalId: id, callId, reason }, run);
}
