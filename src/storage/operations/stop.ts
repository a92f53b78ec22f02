import { READY } from '../../queue/hint.ts';
import type { StopRecord, StopStore } from '../../queue/store.ts';
import { type Op, query, queryOne } from '../statement.ts';
import { type Dialect, type Done, hintOf, NO_HINT } from './dialect.ts';

/* The switch that stops everything: on while its row exists. */

export function* getStop(): Op<StopRecord | null> {
  const row = yield* queryOne<{ since: number; by_user: string; reason: string | null }>(
    'SELECT since, by_user, reason FROM stop',
  );
  return row === null ? null : { since: row.since, by: row.by_user, reason: row.reason };
}

/** Runs under the claim lock, so any claim has either already committed or sees the row. */
export function* setStop(
  dialect: Dialect,
  now: number,
  stop: Parameters<StopStore['setStop']>[0],
): Op<Done<StopRecord | null>> {
  yield* dialect.lockClaims();
  if (stop === null) {
    const gone = yield* query('DELETE FROM stop RETURNING id');
    if (gone.length === 0) return { value: null, hint: NO_HINT, changed: false };
  } else {
    yield* query(
      `INSERT INTO stop (id, since, by_user, reason) VALUES (1, $1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET by_user = excluded.by_user, reason = excluded.reason`,
      [now, stop.by, stop.reason],
    );
  }
  const nodes = yield* query<{ id: string }>('SELECT id FROM nodes');
  const hint = { ...(stop === null ? hintOf(READY) : NO_HINT), nodes: nodes.map(({ id }) => id) };
  return { value: yield* getStop(), hint };
}
