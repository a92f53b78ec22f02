import type { Migration } from './migration.ts';

/** Gives a column of `runs` and an index the names that the code uses. */
const column = 'ALTER TABLE runs RENAME COLUMN settled TO committed;\n';

export const plainNames: Migration = {
  id: 26,
  name: 'plain names',
  sqlite: `${column}
DROP INDEX sessions_told;
CREATE INDEX sessions_last_connections ON sessions (id) WHERE last_connections > 0;
`,
  postgres: `${column}
ALTER INDEX sessions_told RENAME TO sessions_last_connections;
`,
};
