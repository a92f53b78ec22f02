import { EVENT_PAYLOAD_MAX } from '../../../../contract/event.ts';
import { eventOf } from '../../../../contract/events/event-of.ts';
import { byteLength } from '../../../../contract/values/json.ts';
import type { ApprovalRecord, NewApproval } from '../../../../sessions/approvals/approval-store.ts';
import { APPROVAL_COLUMN_NAMES, approvalValues } from '../../../approval-rows.ts';
import { type Op, query } from '../../../statement.ts';
import { type Dialect, type Done, done, NO_HINT } from '../../dialect.ts';
import { lockLane, readCore } from '../../load.ts';
import { findOpen } from './approval-reads.ts';

const INSERT = `INSERT INTO approvals (original, ${APPROVAL_COLUMN_NAMES.join(', ')})
  VALUES ($1, ${APPROVAL_COLUMN_NAMES.map((_, i) => `$${i + 2}`).join(', ')})`;

export function* openApproval(
  dialect: Dialect,
  now: number,
  { fence, original, ...asked }: NewApproval,
): Op<Done<ApprovalRecord | null>> {
  const change = yield* lockLane(dialect, now, asked.sessionId);
  if (change.lane.runId !== asked.runId || change.lane.fence !== fence) {
    return { value: null, hint: NO_HINT };
  }
  const known = yield* findOpen(asked.runId, asked.digest);
  if (known !== null) return { value: known, hint: NO_HINT };
  const approval: ApprovalRecord = {
    ...asked,
    state: 'pending',
    scope: null,
    message: null,
    editedInput: null,
    sealedInput: null,
    decidedBy: null,
    createdAt: now,
    decidedAt: null,
    usedAt: null,
  };
  yield* query(INSERT, [original, ...approvalValues(approval)]);
  change.log('approval.requested', requested(approval), yield* readCore(asked.runId));
  yield* dialect.save([change]);
  return done(approval, [change]);
}

/** The row keeps the whole input; an event has a size limit (E5). */
function requested({ id, callId, tool, kind, input, reason }: ApprovalRecord) {
  const asked = { approvalId: id, callId, tool, kind, input, reason };
  const whole = eventOf('approval.requested', asked).payload;
  if (byteLength(JSON.stringify(whole)) <= EVENT_PAYLOAD_MAX) return whole;
  const text = JSON.stringify(input);
  for (let length = EVENT_PAYLOAD_MAX; ; length = Math.floor(length / 2)) {
    const cut = eventOf('approval.requested', {
      ...whole,
      input: text.slice(0, length).toWellFormed(),
      truncated: true,
    }).payload;
    // Once no input is left, nothing else can be cut.
    if (length === 0 || byteLength(JSON.stringify(cut)) <= EVENT_PAYLOAD_MAX) return cut;
  }
}
