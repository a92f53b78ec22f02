import { LaneChange } from '../../../../queue/machine/lane-change.ts';
import { answer } from '../../../../queue/machine/lane-machine.ts';
import { type Op, query } from '../../../statement.ts';
import { type Dialect, type Done, done } from '../../dialect.ts';
import { readCore } from '../../load.ts';
import { hasOpen, leftOpen } from './approval-reads.ts';
import { withdraw } from './decide.ts';

/** Sessions with an open question whose run has ended. */
const LEFT_OPEN = `SELECT DISTINCT a.session_id AS id FROM approvals a JOIN runs r ON r.id = a.run_id
  WHERE a.state = 'pending' AND r.finished_at IS NOT NULL ORDER BY a.session_id LIMIT $1`;

/**
 * Sessions whose run is waiting although none of its questions is open. A run without questions is
 * waiting for something else.
 */
const UNANSWERED = `SELECT l.id FROM lanes l WHERE l.state = 'asking' AND l.answered_at IS NULL
  AND EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = l.run_id)
  AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = l.run_id AND a.state = 'pending')
  ORDER BY l.id LIMIT $1`;

export interface ReconciledApprovals {
  readonly changed: number;
  readonly more: boolean;
}

/** Lanes are checked again under their locks; those locked by others are left to the next pass. */
export function* reconcileApprovals(
  dialect: Dialect,
  now: number,
  limit: number,
): Op<Done<ReconciledApprovals>> {
  const left = yield* idsOf(LEFT_OPEN, limit);
  const unanswered = yield* idsOf(UNANSWERED, limit);
  const ids = [...new Set([...left, ...unanswered])].sort();
  if (ids.length === 0) return done({ changed: 0, more: false }, []);
  const lanes = (yield* dialect.lockFreeLanes(ids)).map((lane) => new LaneChange(lane, now));
  let changed = 0;
  for (const change of lanes) changed += yield* reconcile(change);
  const touched = lanes.filter(
    (change) => change.events.length > 0 || change.runs.size > 0 || change.ready,
  );
  if (touched.length > 0) yield* dialect.save(touched);
  const full = left.length >= limit || unanswered.length >= limit;
  return done({ changed, more: changed > 0 && full }, touched);
}

function* reconcile(change: LaneChange): Op<number> {
  const { lane } = change;
  let changed = 0;
  for (const approval of yield* leftOpen(lane.id)) {
    yield* withdraw(change, approval, null, 'The run has ended.');
    changed++;
  }
  if (lane.state !== 'asking' || lane.answeredAt !== null || lane.runId === null) return changed;
  const core = yield* readCore(lane.runId);
  if (core?.state !== 'waiting' || (yield* hasOpen(core.id))) return changed;
  const asked = yield* query('SELECT id FROM approvals WHERE run_id = $1 LIMIT 1', [core.id]);
  if (asked.length === 0) return changed;
  answer(change, core);
  return changed + 1;
}

function* idsOf(text: string, limit: number): Op<string[]> {
  return (yield* query<{ id: string }>(text, [limit])).map(({ id }) => id);
}
