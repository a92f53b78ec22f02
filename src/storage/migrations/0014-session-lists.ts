import type { Migration } from './migration.ts';

/**
 * For lists of sessions: indexes for ordering them by activity, and a lower-case copy of the name
 * for searching, because neither database can convert every alphabet to lower case. If a node running the previous version
 * created or renamed a session, the session is searched by `lower(name)`, which is enough for the
 * names that version allows.
 */
const change = `
CREATE INDEX sessions_activity ON sessions (last_active_at, id);
CREATE INDEX sessions_owner_activity ON sessions (owner, last_active_at, id);
ALTER TABLE sessions ADD COLUMN folded_name ID;
`;

export const sessionLists: Migration = {
  id: 14,
  name: 'session lists',
  sqlite: change.replaceAll(/\bID\b/g, 'TEXT'),
  postgres: change.replaceAll(/\bID\b/g, 'text COLLATE "C"'),
};
