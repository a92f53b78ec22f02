import type { Migration } from './migration.ts';

/**
 * The standing that rules depend on: who configured a session's agent, as JSON, and the channels
 * through which a token was created, as a JSON list. Also records whether a question was asked
 * because of an enforced rule. For older sessions whose agent starts programs, the channel is taken
 * from the audit log, which says where they were created; null is read as `api`. Older tokens count
 * as created on their own channel.
 */
const tables = `
ALTER TABLE sessions ADD COLUMN agent_standing ID;
ALTER TABLE tokens ADD COLUMN made_through ID;
ALTER TABLE approvals ADD COLUMN enforced BIG;
UPDATE sessions SET agent_standing = (
    SELECT '{"channel":"' || a.channel || '"}' FROM audit a
    WHERE a.target_id = sessions.id AND a.action IN ('session.create', 'session.fork') ORDER BY a.seq LIMIT 1)
  WHERE agent LIKE '%"command":%' OR agent LIKE '%"mcpServers":%' OR agent LIKE '%"trusted":%';
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const standingColumns: Migration = { id: 17, name: 'standing', sqlite, postgres };
