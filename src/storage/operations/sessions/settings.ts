import { type Op, query, queryOne } from '../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../dialect.ts';

export function* readSetting(name: string): Op<string | null> {
  const row = yield* queryOne<{ value: string }>('SELECT value FROM settings WHERE name = $1', [
    name,
  ]);
  return row?.value ?? null;
}

/** If several writes happen at once, only one is stored, and all of them return its value. */
export function* putSettingOnce(
  _: Dialect,
  _now: number,
  name: string,
  value: string,
): Op<Done<string>> {
  yield* query('INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    value,
  ]);
  return { value: (yield* readSetting(name))!, hint: NO_HINT };
}
