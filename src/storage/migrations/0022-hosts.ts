import type { Migration } from './migration.ts';

/**
 * The readable names of hosts (Q23). Nodes of the version before have no row here; their hosts are shown
 * by their ids.
 *
 * `wanted` is the name that was asked for: the host keeps the name it got for it, even if a better one
 * becomes free. `worker` is 1 once one of its nodes ran agents. `data_id` marks the data directory that the host shares with others; null if it does not.
 */
const tables = `
CREATE TABLE hosts (
  id ID PRIMARY KEY,
  name ID NOT NULL UNIQUE,
  wanted ID NOT NULL,
  worker BIG NOT NULL,
  data_id ID,
  seen_at BIG NOT NULL
);
`;

export const hostsTable: Migration = {
  id: 22,
  name: 'hosts',
  sqlite: tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER'),
  postgres: tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint'),
};
