import type { AuditRecord, TokenRecord, UserRecord, ValidSignIn } from '../access/access-store.ts';
import type { NewAuditEntry } from '../access/principal.ts';
import type { Right, Role } from '../contract/access.ts';
import type { AuditAction, AuditEntry } from '../contract/audit.ts';
import type { Channel } from '../contract/message.ts';
import type { NodeLoad, NodeView } from '../contract/node.ts';
import type { Json } from '../contract/values/json.ts';
import { toTime } from '../contract/values/time.ts';
import { type NodeRow, toNode } from './rows.ts';
import { plain } from './session-rows.ts';

/* Turns rows of users, credentials and the audit log into objects; see rows.ts. */

/** The columns of a user `u`; the prefix distinguishes them from those of joined tables. */
export interface UserRow {
  u_id: string;
  u_name: string;
  u_role: Role;
  u_created_at: number;
  u_disabled_at: number | null;
}

const USER = ['id', 'name', 'role', 'created_at', 'disabled_at'];
export const USER_COLUMNS = USER.map((name) => `u.${name} AS u_${name}`).join(', ');
/** The same columns for RETURNING, where the table has no alias. */
export const USER_RETURNED = USER.map((name) => `${name} AS u_${name}`).join(', ');

export const toUser = (row: UserRow): UserRecord => ({
  id: row.u_id,
  name: row.u_name,
  role: row.u_role,
  createdAt: row.u_created_at,
  disabledAt: row.u_disabled_at,
});

export interface TokenRow {
  id: string;
  user_id: string;
  name: string;
  scopes: string;
  channel: Channel;
  /** Null for tokens created before this was recorded. */
  made_through: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

const TOKEN = [
  'id',
  'user_id',
  'name',
  'scopes',
  'channel',
  'made_through',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
];
export const TOKEN_COLUMNS = TOKEN.map((name) => `t.${name}`).join(', ');

export const toToken = (row: TokenRow): TokenRecord => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  scopes: JSON.parse(row.scopes) as Right[],
  channel: row.channel,
  through: channelsIn(row.made_through),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

const channelsIn = (list: string | null): Channel[] =>
  list === null ? [] : (JSON.parse(list) as Channel[]);

export interface SignInRow extends UserRow {
  id: string;
  digest: string;
  rotated_at: number;
  idle_until: number;
  expires_at: number;
  scopes: string | null;
  token_channel: Channel | null;
  made_through: string | null;
  token_expires_at: number | null;
  page_key_digest: string | null;
}

export const toSignIn = (row: SignInRow, digest: string): ValidSignIn => ({
  id: row.id,
  user: toUser(row),
  scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as Right[]),
  through: row.token_channel === null ? [] : [row.token_channel, ...channelsIn(row.made_through)],
  expiresAt: row.expires_at,
  rotatedAt: row.rotated_at,
  previous: row.digest !== digest,
  pageKeyDigest: row.page_key_digest,
});

export interface AuditRow {
  seq: number;
  at: number;
  user_id: string;
  channel: Channel;
  credential: string;
  address: string;
  request_id: string | null;
  action: AuditAction;
  target_kind: AuditEntry['target']['kind'];
  target_id: string;
  before: string | null;
  after: string | null;
}

export const AUDIT_COLUMNS =
  'at, user_id, channel, credential, address, request_id, action, target_kind, target_id, before, after';

export const toAudit = (row: AuditRow): AuditRecord => ({
  seq: row.seq,
  at: row.at,
  userId: row.user_id,
  channel: row.channel,
  credential: row.credential,
  address: row.address,
  requestId: row.request_id,
  action: row.action,
  target: { kind: row.target_kind, id: row.target_id },
  before: parse(row.before),
  after: parse(row.after),
});

/** The values in the order of AUDIT_COLUMNS, without the time. */
export const auditValues = (entry: NewAuditEntry): (string | null)[] => [
  entry.userId,
  entry.channel,
  entry.credential,
  plain(entry.address),
  plain(entry.requestId),
  entry.action,
  entry.target.kind,
  plain(entry.target.id),
  json(entry.before),
  json(entry.after),
];

const json = (value: NewAuditEntry['before']): string | null =>
  value === null ? null : JSON.stringify(value);

export interface NodeViewRow extends NodeRow {
  host_name: string;
  executing: number;
  connections: number;
  load: string | null;
}

export function toNodeView(row: NodeViewRow, now: number): NodeView {
  const { url, ...node } = toNode(row);
  const { id, host, pid, roles, types, version, capacity, startedAt, leaseUntil } = node;
  const load = row.load === null ? null : (JSON.parse(row.load) as NodeLoad);
  return {
    id,
    host,
    hostName: row.host_name,
    pid,
    roles,
    types,
    version,
    startedAt: toTime(startedAt),
    leaseUntil: toTime(leaseUntil),
    alive: leaseUntil > now,
    url: url ?? null,
    // Capacity means nothing on a node that starts no runs.
    capacity: roles.includes('worker') ? capacity : 0,
    executing: row.executing,
    connections: row.connections,
    load: load === null ? null : { ...load, at: toTime(load.at) },
  };
}

const parse = (text: string | null): Json => (text === null ? null : (JSON.parse(text) as Json));
