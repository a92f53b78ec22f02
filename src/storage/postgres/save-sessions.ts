import { SESSION_COLUMN_NAMES } from '../session-rows.ts';

/** Columns that are not text. */
const TYPES: Readonly<Record<string, string>> = {
  idle_timeout_s: 'bigint',
  budget_usd: 'float8',
  ready_at: 'bigint',
  idle_since: 'bigint',
  destroy_at: 'bigint',
  last_active_at: 'bigint',
  last_output_at: 'bigint',
  cost_usd: 'float8',
  archived_at: 'bigint',
  last_connections: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
};

export const SESSION_WIDTH = SESSION_COLUMN_NAMES.length;

/** Stores many rows in one statement, as unnested columns; see save.ts. */
export const SAVE_SESSIONS = `UPDATE sessions AS s SET ${SESSION_COLUMN_NAMES.slice(1)
  .map((name) => `${name} = i.${name}`)
  .join(', ')}
  FROM unnest(${SESSION_COLUMN_NAMES.map((name, i) => `$${i + 1}::${TYPES[name] ?? 'text'}[]`).join(', ')})
    AS i(${SESSION_COLUMN_NAMES.join(', ')})
  WHERE s.id = i.id`;
