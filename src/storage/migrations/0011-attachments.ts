import type { Migration } from './migration.ts';

/** Files that came with a message (A11), encrypted; they go with their run. */
const tables = `
CREATE TABLE attachments (
  run_id ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  n BIG NOT NULL,
  name ID NOT NULL,
  media_type ID NOT NULL,
  sealed ID NOT NULL,
  PRIMARY KEY (run_id, n)
);
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const attachmentTable: Migration = { id: 11, name: 'attachments', sqlite, postgres };
