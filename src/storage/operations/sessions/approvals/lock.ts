import { BatonError } from '../../../../contract/errors.ts';
import type { LaneChange, RunCore } from '../../../../queue/machine/lane-change.ts';
import type { ApprovalRecord } from '../../../../sessions/approvals/approval-store.ts';
import { type Op, queryOne } from '../../../statement.ts';
import { Again, type Dialect } from '../../dialect.ts';
import { lockLane, readCore } from '../../load.ts';
import { getApproval } from './approval-reads.ts';

/** A question under the lock of its session's lane, which guards it, with its run. */
export interface LockedApproval {
  readonly change: LaneChange;
  readonly approval: ApprovalRecord;
  readonly core: RunCore;
}

export function* lockApproval(dialect: Dialect, now: number, id: string): Op<LockedApproval> {
  const found = yield* queryOne<{ session_id: string }>(
    'SELECT session_id FROM approvals WHERE id = $1',
    [id],
  );
  if (found === null) throw new BatonError('not_found', `There is no approval ${id}.`);
  const change = yield* lockLane(dialect, now, found.session_id);
  // By statements of their own after the lock, so that they show what the lock waited for.
  const approval = yield* getApproval(id);
  const core = approval === null ? null : yield* readCore(approval.runId);
  // Removed between the statements.
  if (approval === null || core === null) throw new Again();
  return { change, approval, core };
}
