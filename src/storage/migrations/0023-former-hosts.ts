import type { Migration } from './migration.ts';

/**
 * The hosts that a session was moved away from (Q23), which still have its files; `''` is the
 * directory that all hosts share. When the session is deleted, each of these hosts gets its own
 * row in `left_workspaces`.
 */
const formerHosts = (id: string): string => `
CREATE TABLE former_hosts (
  session_id ${id} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  host ${id} NOT NULL,
  PRIMARY KEY (session_id, host)
);
`;

export const formerHostsTable: Migration = {
  id: 23,
  name: 'former-hosts',
  // SQLite cannot change a primary key.
  sqlite: `${formerHosts('TEXT')}
CREATE TABLE left_workspaces_by_host (
  session_id TEXT NOT NULL,
  host TEXT NOT NULL,
  PRIMARY KEY (session_id, host)
);
INSERT INTO left_workspaces_by_host SELECT session_id, host FROM left_workspaces;
DROP TABLE left_workspaces;
ALTER TABLE left_workspaces_by_host RENAME TO left_workspaces;
CREATE INDEX left_workspaces_host ON left_workspaces (host, session_id);
`,
  postgres: `${formerHosts('text COLLATE "C"')}
ALTER TABLE left_workspaces DROP CONSTRAINT left_workspaces_pkey, ADD PRIMARY KEY (session_id, host);
`,
};
