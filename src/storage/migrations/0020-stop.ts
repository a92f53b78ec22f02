import { claimRunsFunction } from './0013-claim-turns.ts';
import type { Migration } from './migration.ts';

/**
 * The switch that stops everything: one row while it is on. `claim_runs` checks it under the claim
 * lock, so nodes running the previous version start nothing either; they do not stop runs in
 * progress, though.
 */
const tables = `
CREATE TABLE stop (
  id BIG PRIMARY KEY CHECK (id = 1),
  since BIG NOT NULL,
  by_user ID NOT NULL,
  reason ID
);
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');

const postgres = `
${tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint')}
${claimRunsFunction({
  answered: ' AND NOT EXISTS (SELECT 1 FROM stop)',
  take: '  IF EXISTS (SELECT 1 FROM stop) THEN RETURN; END IF;\n',
})}`;

export const stopTable: Migration = { id: 20, name: 'stop', sqlite, postgres };
