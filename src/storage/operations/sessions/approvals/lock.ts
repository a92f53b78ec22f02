import { BatonError } from '../../../../contract/errors.ts';
import type { LaneChange, RunCore } from '../../../../queue/machine/lane-change.ts';
import type { ApprovalRecord } from '../../../../sessions/approvals/approval-store.ts';
import { type Op, queryOne } from '../../../statement.ts';
import { Again, type Dialect } from '../../dialect.ts';
import { lockLane, readCore } from '../../load.ts';
import { getApproval } from './approval-reads.ts';

/** A question and its run, under the lock of the session's lane, which guards both. */
export interface LockedApproval {
  readonly change: LaneChange;
  readonly approval: ApprovalRecord;
  readonly core: RunCore;
}

export function* lockApproval(dialect: Dialect, now: number, id: string): Op<LockedApproval> {
  const row = yield* queryOne<{ session_id: string }>(
    'SELECT session_id FROM approvals WHERE id = $1',
    [id],
  );
  if (row === null) throw new BatonError('not_found', `There is no approval ${id}.`);
  const change = yield* lockLane(dialect, now, row.session_id);
  // Read by separate statements after taking the lock, so that they see the changes it waited for.
  const approval = yield* getApproval(id);
  const core = approval === null ? null : yield* readCore(approval.runId);
  // The question or its run was removed between the statements.
  if (approval === null || core === null) throw new Again();
  return { change, approval, core };
}
