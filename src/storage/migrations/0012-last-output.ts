import type { Migration } from './migration.ts';

/** When an agent's process last ended: what tells a reader that there is something new. */
const column = (type: string): string => `ALTER TABLE sessions ADD COLUMN last_output_at ${type};`;

export const lastOutput: Migration = {
  id: 12,
  name: 'last output',
  sqlite: column('INTEGER'),
  postgres: column('bigint'),
};
