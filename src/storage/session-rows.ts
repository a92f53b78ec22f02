import type { Standing } from '../contract/message.ts';
import type {
  AgentSpec,
  Isolation,
  SessionStatus,
  StatusReason,
  WorkspaceSpec,
} from '../contract/session.ts';
import type { Json } from '../contract/values/json.ts';
import type { SessionRecord, SessionWithFacts } from '../sessions/session-record.ts';

/* Turns rows of sessions into objects; see rows.ts. */

export interface SessionRow {
  id: string;
  owner: string;
  name: string;
  /**
   * The name in lower case, for searching; null if a node running an older version created the
   * session.
   */
  folded_name: string | null;
  description: string;
  tags: string;
  labels: string;
  agent: string;
  agent_standing: string | null;
  workspace: string;
  workspace_path: string | null;
  isolation: Isolation;
  template_config: string;
  idle_timeout_s: number;
  budget_usd: number | null;
  status: SessionStatus;
  status_reason: StatusReason;
  error: string | null;
  ready_at: number | null;
  idle_since: number | null;
  destroy_at: number | null;
  last_active_at: number;
  last_output_at: number | null;
  last_response: string | null;
  cost_usd: number;
  conversation: string | null;
  conversation_head: string | null;
  fork_conversation: string | null;
  fork_head: string | null;
  usage_before: string | null;
  forked_from: string | null;
  archived_at: number | null;
  last_connections: number;
  created_at: number;
  updated_at: number;
}

/** The columns of the table `sessions`. */
export const SESSION_COLUMN_NAMES = [
  'id',
  'owner',
  'name',
  'folded_name',
  'description',
  'tags',
  'labels',
  'agent',
  'agent_standing',
  'workspace',
  'workspace_path',
  'isolation',
  'template_config',
  'idle_timeout_s',
  'budget_usd',
  'status',
  'status_reason',
  'error',
  'ready_at',
  'idle_since',
  'destroy_at',
  'last_active_at',
  'last_output_at',
  'last_response',
  'cost_usd',
  'conversation',
  'conversation_head',
  'fork_conversation',
  'fork_head',
  'usage_before',
  'forked_from',
  'archived_at',
  'last_connections',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof SessionRow)[];
export const SESSION_COLUMNS = SESSION_COLUMN_NAMES.map((name) => `s.${name}`).join(', ');

/** A session's whole row: the record, and columns that only the storage layer uses. */
export interface StoredSession extends SessionRecord {
  readonly idleSince: number | null;
  /** The number in the latest event about connections. */
  readonly lastConnections: number;
}

export const toStoredSession = (row: SessionRow): StoredSession => ({
  ...toSession(row),
  idleSince: row.idle_since,
  lastConnections: row.last_connections,
});

/** The standing of sessions that were created by a node running an older version. */
const UNKNOWN: Standing = { channel: 'api' };

const toSession = (row: SessionRow): SessionRecord => ({
  id: row.id,
  ownerId: row.owner,
  name: row.name,
  description: row.description,
  tags: JSON.parse(row.tags) as string[],
  labels: JSON.parse(row.labels) as string[],
  agent: JSON.parse(row.agent) as AgentSpec,
  agentStanding:
    row.agent_standing === null ? UNKNOWN : (JSON.parse(row.agent_standing) as Standing),
  workspace: JSON.parse(row.workspace) as WorkspaceSpec,
  workspacePath: row.workspace_path,
  isolation: row.isolation,
  templateConfig: JSON.parse(row.template_config) as Json,
  idleTimeoutSeconds: row.idle_timeout_s,
  budgetUsd: row.budget_usd,
  status: row.status,
  statusReason: row.status_reason,
  error: row.error,
  readyAt: row.ready_at,
  destroyAt: row.destroy_at,
  lastActiveAt: row.last_active_at,
  lastOutputAt: row.last_output_at,
  lastResponse: row.last_response,
  costUsd: row.cost_usd,
  conversation: row.conversation,
  conversationHead: row.conversation_head,
  forkPoint:
    row.fork_conversation === null
      ? null
      : { conversation: row.fork_conversation, head: row.fork_head },
  usageBefore: row.usage_before === null ? null : (JSON.parse(row.usage_before) as Json),
  forkedFrom: row.forked_from,
  archivedAt: row.archived_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The values in the order of SESSION_COLUMN_NAMES. */
export const sessionValues = (session: StoredSession): (string | number | null)[] => [
  session.id,
  session.ownerId,
  session.name,
  foldName(session.name),
  session.description,
  JSON.stringify(session.tags),
  JSON.stringify(session.labels),
  JSON.stringify(session.agent),
  JSON.stringify(session.agentStanding),
  JSON.stringify(session.workspace),
  plain(session.workspacePath),
  session.isolation,
  JSON.stringify(session.templateConfig),
  session.idleTimeoutSeconds,
  session.budgetUsd,
  session.status,
  session.statusReason,
  plain(session.error),
  session.readyAt,
  session.idleSince,
  session.destroyAt,
  session.lastActiveAt,
  session.lastOutputAt,
  plain(session.lastResponse),
  session.costUsd,
  plain(session.conversation),
  plain(session.conversationHead),
  plain(session.forkPoint?.conversation ?? null),
  plain(session.forkPoint?.head ?? null),
  session.usageBefore === null ? null : JSON.stringify(session.usageBefore),
  session.forkedFrom,
  session.archivedAt,
  session.lastConnections,
  session.createdAt,
  session.updatedAt,
];

export interface SessionFactsRow extends SessionRow {
  held: number;
  hold_on_failure: number;
  host: string;
  host_name: string;
  host_away: number;
  delayed_until: number | null;
  active_connections: number;
  unfinished_runs: number;
  open_questions: number;
  last_seq: number;
}

export const toSessionWithFacts = (row: SessionFactsRow): SessionWithFacts => ({
  session: toSession(row),
  held: row.held !== 0,
  holdOnFailure: row.hold_on_failure !== 0,
  host: row.host === '' ? null : row.host,
  hostName: row.host === '' ? null : row.host_name,
  hostAway: row.host_away !== 0,
  delayedUntil: row.delayed_until,
  activeConnections: row.active_connections,
  unfinishedRuns: row.unfinished_runs,
  openQuestions: row.open_questions,
  lastSeq: row.last_seq,
});

/** Converts a name to lower case, which neither database can do for every script. */
export const foldName = (name: string): string => plain(name).toLowerCase();

/** Replaces NUL, which programs sometimes print but PostgreSQL cannot store as text. */
export const plain = <T extends string | null>(text: T): T =>
  (text?.replaceAll('\u0000', '\uFFFD') ?? null) as T;
