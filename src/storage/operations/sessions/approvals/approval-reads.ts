import type { ShareLevel } from '../../../../contract/access.ts';
import { BatonError } from '../../../../contract/errors.ts';
import { type Standing, standingOf } from '../../../../contract/message.ts';
import type {
  ApprovalFilter,
  ApprovalRecord,
  ListedApproval,
} from '../../../../sessions/approvals/approval-store.ts';
import { APPROVAL_COLUMN_NAMES, type ApprovalRow, toApproval } from '../../../approval-rows.ts';
import { type Op, query, queryOne, type Value } from '../../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../../dialect.ts';
import { visibleTo } from '../visible.ts';

const select = (more = '') =>
  `SELECT ${APPROVAL_COLUMN_NAMES.map((name) => `a.${name}`).join(', ')}${more} FROM approvals a`;
const SELECT = select();

export function* getApproval(id: string): Op<ApprovalRecord | null> {
  const row = yield* queryOne<ApprovalRow>(`${SELECT} WHERE a.id = $1`, [id]);
  return row === null ? null : toApproval(row);
}

/**
 * Only reads, but is registered as a writing operation, because only writing operations can add a
 * line to the audit log.
 */
export function* readCall(_dialect: Dialect, _now: number, id: string): Op<Done<string | null>> {
  const row = yield* queryOne<{ original: string | null }>(
    'SELECT original FROM approvals WHERE id = $1',
    [id],
  );
  if (row === null) throw new BatonError('not_found');
  return { value: row.original, hint: NO_HINT };
}

export function* listApprovals(filter: ApprovalFilter): Op<ListedApproval[]> {
  const values: Value[] = [filter.limit];
  const bind = (value: string): string => `$${values.push(value)}`;
  const where: string[] = [];
  if (filter.state !== undefined) where.push(`a.state = ${bind(filter.state)}`);
  if (filter.sessionId !== undefined) where.push(`a.session_id = ${bind(filter.sessionId)}`);
  if (filter.before !== undefined) where.push(`a.id < ${bind(filter.before)}`);
  let more =
    ', (SELECT s.workspace_path FROM sessions s WHERE s.id = a.session_id) AS workspace_path';
  if (filter.visibleTo !== undefined) {
    const user = values.push(filter.visibleTo);
    where.push(`a.session_id IN ${visibleTo(user)}`);
    more += `, (SELECT h.level FROM shares h WHERE h.session_id = a.session_id AND h.user_id = $${user}) AS share`;
  }
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const rows = yield* query<ListedRow>(
    `${select(more)} ${condition} ORDER BY a.id DESC LIMIT $1`,
    values,
  );
  return rows.map((row) => ({
    ...toApproval(row),
    share: row.share ?? null,
    workspacePath: row.workspace_path,
  }));
}

interface ListedRow extends ApprovalRow {
  share?: ShareLevel | null;
  workspace_path: string | null;
}

export function* listApprovalsOf(runId: string): Op<ApprovalRecord[]> {
  const rows = yield* query<ApprovalRow>(
    `${SELECT} WHERE a.run_id = $1 ORDER BY a.id`,
    [runId],
    'approvals_of_run',
  );
  return rows.map(toApproval);
}

const SPEAKERS = `SELECT payload AS said, seq FROM steers WHERE run_id = $1 AND state IN ('waiting', 'given')
  UNION ALL SELECT answer_standing, 0 FROM approvals WHERE run_id = $1 AND answer_standing IS NOT NULL
  ORDER BY seq`;

export function* speakersIn(runId: string): Op<Standing[]> {
  const rows = yield* query<{ said: string }>(SPEAKERS, [runId], 'speakers_in');
  return rows.map(({ said }) => standingOf(JSON.parse(said) as Standing));
}

export function* findOpen(runId: string, digest: string): Op<ApprovalRecord | null> {
  const row = yield* queryOne<ApprovalRow>(
    `${SELECT} WHERE a.run_id = $1 AND a.digest = $2 AND a.state = 'pending'`,
    [runId, digest],
  );
  return row === null ? null : toApproval(row);
}

/** Questions that are still open although their run has ended. */
export function* leftOpen(sessionId: string): Op<ApprovalRecord[]> {
  const rows = yield* query<ApprovalRow>(
    `${SELECT} JOIN runs r ON r.id = a.run_id
     WHERE a.session_id = $1 AND a.state = 'pending' AND r.finished_at IS NOT NULL ORDER BY a.id`,
    [sessionId],
  );
  return rows.map(toApproval);
}

export function* hasOpen(runId: string): Op<boolean> {
  const row = yield* queryOne(
    `SELECT id FROM approvals WHERE run_id = $1 AND state = 'pending' LIMIT 1`,
    [runId],
  );
  return row !== null;
}
