import type { Migration } from './migration.ts';

/**
 * What lists of sessions need: their order by activity, and the name as it is searched, because
 * neither database folds the case of every script. A session that a node of the version before has
 * made or renamed is found by `lower(name)`, which is enough for the names that it allows.
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
