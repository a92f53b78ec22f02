import type { Migration } from './migration.ts';

/**
 * The second secret of a signed-in browser, and tickets that each open one WebSocket or download.
 * Older sign-ins have no page key: their cookie opens the page, which asks the user to sign in
 * again.
 */
const tables = `
ALTER TABLE sign_ins ADD COLUMN page_key_digest ID;

CREATE TABLE tickets (
  digest ID PRIMARY KEY,
  sign_in_id ID NOT NULL REFERENCES sign_ins (id) ON DELETE CASCADE,
  -- Of the request it opens, without the query.
  path ID NOT NULL,
  expires_at BIG NOT NULL
);
CREATE INDEX tickets_expires ON tickets (expires_at);
CREATE INDEX tickets_sign_in ON tickets (sign_in_id);
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const pageKeys: Migration = { id: 18, name: 'page-keys', sqlite, postgres };
