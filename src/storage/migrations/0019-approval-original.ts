import type { Migration } from './migration.ts';

/**
 * The original input of a call, encrypted, if masking changed it. The originals of older calls were
 * not kept.
 */
const columns = `
ALTER TABLE approvals ADD COLUMN masked BIG NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN original ID;
UPDATE approvals SET masked = 1 WHERE input LIKE '%***%***%';
`;

const sqlite = columns.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = columns.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const approvalOriginal: Migration = { id: 19, name: 'approval original', sqlite, postgres };
