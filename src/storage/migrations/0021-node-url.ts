import type { Migration } from './migration.ts';

/**
 * The URL at which other nodes reach a node (X7). Nodes running the previous version leave it empty
 * and cannot be reached.
 */
const column = (type: string): string => `ALTER TABLE nodes ADD COLUMN url ${type};\n`;

export const nodeUrl: Migration = {
  id: 21,
  name: 'node-url',
  sqlite: column('TEXT'),
  postgres: column('text COLLATE "C"'),
};
