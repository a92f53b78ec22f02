import type { Migration } from './migration.ts';

/**
 * The readable names of hosts (Q23). Hosts that have only ever run the previous version have no
 * row; they are shown by their ids.
 *
 * `wanted` is the name that was requested. If that name was taken, the host got a similar one,
 * which it keeps even if the requested name becomes free. `worker` is 1 once one of the host's
 * nodes has been a worker. `data_id` identifies the data directory that the host shares with
 * others; null if it shares none.
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
