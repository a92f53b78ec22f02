import type { HostRecord, HostRefusal, NewHost } from '../../sessions/host-store.ts';
import { type Op, query, queryOne } from '../statement.ts';
import { type Dialect, type Done, NO_HINT } from './dialect.ts';
import { LIVE_WORKER, withoutWorker } from './queue-reads.ts';
import { readSetting } from './sessions/settings.ts';

/** A host without nodes is forgotten if it has not been started for this long. */
const FORGET_MS = 90 * 24 * 3_600_000;
/** The name of the setting that holds the shared data directory's id. */
const SHARED_DATA = 'shared-data';

/**
 * If two hosts choose the same name at once, the unique key makes one of the transactions fail, and
 * that transaction runs again.
 */
export function* registerHost(
  _: Dialect,
  now: number,
  { id, name: wanted, worker, dataId }: NewHost,
): Op<Done<string>> {
  yield* query(
    'DELETE FROM hosts WHERE seen_at < $1 AND id <> $2 AND id NOT IN (SELECT host FROM nodes)',
    [now - FORGET_MS, id],
  );
  const known = yield* queryOne<{ name: string; wanted: string }>(
    'SELECT name, wanted FROM hosts WHERE id = $1',
    [id],
  );
  const name = known?.wanted === wanted ? known.name : yield* freeName(id, wanted);
  yield* query(
    `INSERT INTO hosts (id, name, wanted, worker, data_id, seen_at) VALUES ($1, $2, $3, 0, NULL, $4)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, wanted = excluded.wanted, seen_at = excluded.seen_at`,
    [id, name, wanted, now],
  );
  if (worker) yield* query('UPDATE hosts SET worker = 1, data_id = $2 WHERE id = $1', [id, dataId]);
  return { value: name, hint: NO_HINT };
}

/**
 * Returns a name that is neither the name nor the id of another host, because requests can name a
 * host by either.
 */
function* freeName(id: string, wanted: string): Op<string> {
  const rows = yield* query<{ name: string }>(
    `SELECT name FROM hosts WHERE id <> $1 UNION SELECT id FROM hosts WHERE id <> $1
     UNION SELECT host FROM nodes WHERE host <> $1`,
    [id],
  );
  const taken = new Set(rows.map(({ name }) => name));
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}-${n}`;
  return name;
}

/**
 * Hosts that have only ever run the previous version have no row; their ids are used as their
 * names.
 */
export function* listHosts(dialect: Dialect): Op<HostRecord[]> {
  const now = yield* dialect.readTime();
  const rows = yield* query<{ id: string; name: string; away: number }>(
    `SELECT h.id, h.name, CASE WHEN ${withoutWorker('h.id')} THEN 1 ELSE 0 END AS away FROM hosts h WHERE h.worker = 1
     UNION
     SELECT n.host, coalesce((SELECT h.name FROM hosts h WHERE h.id = n.host), n.host), 0 FROM nodes n
     WHERE ${LIVE_WORKER} AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.id = n.host AND h.worker = 1)
     ORDER BY 2`,
    [now],
  );
  return rows.map(({ id, name, away }) => ({ id, name, alive: away === 0 }));
}

/**
 * Runs under the claim lock, so that if two conflicting hosts start at once, the second is refused.
 */
export function* admitHost(
  dialect: Dialect,
  now: number,
  id: string,
): Op<Done<HostRefusal | null>> {
  yield* dialect.lockClaims();
  const host = yield* queryOne<{ data_id: string | null }>(
    'SELECT data_id FROM hosts WHERE id = $1',
    [id],
  );
  const own = host?.data_id ?? null;
  const shared = yield* readSetting(SHARED_DATA);
  if (own === shared) return { value: null, hint: NO_HINT };
  if (shared !== null && (own !== null || (yield* isUsed()))) {
    return { value: { why: 'not_shared' }, hint: NO_HINT };
  }
  const others = yield* query<{ name: string }>(
    `SELECT DISTINCT coalesce(h.name, n.host) AS name FROM nodes n LEFT JOIN hosts h ON h.id = n.host
     WHERE ${LIVE_WORKER} AND n.host <> $2 AND coalesce(h.data_id, '') <> $3 ORDER BY 1`,
    [now, id, own ?? ''],
  );
  if (others.length > 0) {
    return { value: { why: 'others', hosts: others.map(({ name }) => name) }, hint: NO_HINT };
  }
  yield* query('DELETE FROM settings WHERE name = $1', [SHARED_DATA]);
  if (own !== null) {
    yield* query('INSERT INTO settings (name, value) VALUES ($1, $2)', [SHARED_DATA, own]);
  }
  return { value: null, hint: NO_HINT };
}

/**
 * Whether there is a session that may run on any host, which is safe only while all hosts share its
 * directory.
 */
function* isUsed(): Op<boolean> {
  const used = yield* query(
    `SELECT 1 AS one FROM sessions s JOIN lanes l ON l.id = s.id WHERE l.pin = 0 AND l.host = '' LIMIT 1`,
  );
  return used.length > 0;
}

export function* isDataShared(): Op<boolean> {
  return (yield* readSetting(SHARED_DATA)) !== null;
}
