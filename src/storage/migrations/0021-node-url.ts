import type { Migration } from './migration.ts';

/** Where other nodes reach a node (X7). Nodes of the version before leave it empty, and are not reached. */
const column = (type: string): string => `ALTER TABLE nodes ADD COLUMN url ${type};\n`;

export const nodeUrl: Migration = {
  id: 21,
  name: 'node-url',
  sqlite: column('TEXT'),
  postgres: column('text COLLATE "C"'),
};
