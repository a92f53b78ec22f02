import type { ApprovalKind, ApprovalScope, ApprovalState } from '../contract/approval.ts';
import type { Json } from '../contract/values/json.ts';
import type { ApprovalRecord } from '../sessions/approvals/approval-store.ts';
import { plain } from './session-rows.ts';

/* Turns rows of approvals into objects; see rows.ts. */

export interface ApprovalRow {
  id: string;
  session_id: string;
  run_id: string;
  attempt: number;
  call_id: string;
  kind: ApprovalKind;
  tool: string;
  input: string;
  masked: number;
  digest: string;
  reason: string;
  /** Null if the question comes from a node running an older version. */
  enforced: number | null;
  state: ApprovalState;
  scope: ApprovalScope | null;
  message: string | null;
  edited_input: string;
  sealed_input: string | null;
  decided_by: string | null;
  created_at: number;
  decided_at: number | null;
  used_at: number | null;
}

export const APPROVAL_COLUMN_NAMES = [
  'id',
  'session_id',
  'run_id',
  'attempt',
  'call_id',
  'kind',
  'tool',
  'input',
  'masked',
  'digest',
  'reason',
  'enforced',
  'state',
  'scope',
  'message',
  'edited_input',
  'sealed_input',
  'decided_by',
  'created_at',
  'decided_at',
  'used_at',
] as const satisfies readonly (keyof ApprovalRow)[];

export const toApproval = (row: ApprovalRow): ApprovalRecord => ({
  id: row.id,
  sessionId: row.session_id,
  runId: row.run_id,
  attempt: row.attempt,
  callId: row.call_id,
  kind: row.kind,
  tool: row.tool,
  input: JSON.parse(row.input) as Json,
  masked: row.masked === 1,
  digest: row.digest,
  reason: row.reason,
  enforced: row.enforced === 1,
  state: row.state,
  scope: row.scope,
  message: row.message,
  editedInput: JSON.parse(row.edited_input) as Json,
  sealedInput: row.sealed_input,
  decidedBy: row.decided_by,
  createdAt: row.created_at,
  decidedAt: row.decided_at,
  usedAt: row.used_at,
});

/** The values in the order of APPROVAL_COLUMN_NAMES. */
export const approvalValues = (one: ApprovalRecord): (string | number | null)[] => [
  one.id,
  one.sessionId,
  one.runId,
  one.attempt,
  plain(one.callId),
  one.kind,
  plain(one.tool),
  JSON.stringify(one.input),
  one.masked ? 1 : 0,
  plain(one.digest),
  plain(one.reason),
  Number(one.enforced),
  one.state,
  one.scope,
  plain(one.message),
  JSON.stringify(one.editedInput),
  one.sealedInput,
  one.decidedBy,
  one.createdAt,
  one.decidedAt,
  one.usedAt,
];
