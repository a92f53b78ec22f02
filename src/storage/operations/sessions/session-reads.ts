import type { ShareLevel } from '../../../contract/access.ts';
import type { EventType } from '../../../contract/events/table.ts';
import { SessionStatus } from '../../../contract/session.ts';
import type { SessionWithFacts } from '../../../sessions/session-record.ts';
import type { SessionFilter, SessionFor } from '../../../sessions/session-store.ts';
import { foldName, plain, type SessionFactsRow, toSessionWithFacts } from '../../session-rows.ts';
import { type Op, query, type Value } from '../../statement.ts';
import type { Dialect } from '../dialect.ts';
import { readSession, readSessionFor, SELECT_SESSION, SELECT_SHARED_SESSION } from './load.ts';
import { visibleTo } from './visible.ts';

export function* getSession(dialect: Dialect, id: string): Op<SessionWithFacts | null> {
  return yield* readSession(yield* dialect.readTime(), id);
}

export function* getSessionFor(
  dialect: Dialect,
  id: string,
  userId: string,
): Op<SessionFor | null> {
  return yield* readSessionFor(yield* dialect.readTime(), id, userId);
}

export function* listSessions(dialect: Dialect, filter: SessionFilter): Op<SessionWithFacts[]> {
  const now = yield* dialect.readTime();
  const { visibleTo: userId } = filter;
  if (userId === undefined) return yield* listWhere(now, filter, '', []);
  // Each of the two queries follows an index in the requested order; a single query could not.
  const own = yield* listWhere(now, filter, 'WHERE s.owner = $2', [userId]);
  const shared = yield* listWhere(
    now,
    filter,
    'JOIN shares h ON h.session_id = s.id WHERE h.user_id = $2 AND s.owner <> $2',
    [userId],
    SELECT_SHARED_SESSION,
  );
  return [...own, ...shared].sort(inOrder(filter.order)).slice(0, filter.limit);
}

const inOrder =
  (order: SessionFilter['order']) =>
  ({ session: a }: SessionWithFacts, { session: b }: SessionWithFacts): number => {
    if (order === 'activity' && a.lastActiveAt !== b.lastActiveAt) {
      return b.lastActiveAt - a.lastActiveAt;
    }
    return a.id < b.id ? 1 : -1;
  };

/** `among` is SQL that follows the tables; `given` contains its values, starting at $2. */
function* listWhere(
  now: number,
  filter: SessionFilter,
  among: string,
  given: readonly string[],
  select = SELECT_SESSION,
): Op<SessionWithFacts[]> {
  const values: Value[] = [now, ...given];
  // No name or word contains a NUL, and PostgreSQL cannot even compare text with a NUL.
  const bind = (value: string | number): string =>
    `$${values.push(typeof value === 'string' ? plain(value) : value)}`;
  const where = [`s.archived_at IS ${filter.archived ? 'NOT ' : ''}NULL`];
  if (filter.ownerId !== undefined) where.push(`s.owner = ${bind(filter.ownerId)}`);
  if (filter.status !== undefined) where.push(`s.status = ${bind(filter.status)}`);
  const byActivity = filter.order === 'activity';
  if (filter.after !== undefined) {
    const { id, lastActiveAt } = filter.after;
    where.push(
      byActivity
        ? `(s.last_active_at, s.id) < (${bind(lastActiveAt)}, ${bind(id)})`
        : `s.id < ${bind(id)}`,
    );
  }
  if (filter.name !== undefined) {
    const part = bind(partOf(filter.name));
    where.push(`(s.folded_name LIKE ${part} ESCAPE '!' OR lower(s.name) LIKE ${part} ESCAPE '!')`);
  }
  for (const kind of ['tag', 'label'] as const) {
    const word = filter[kind];
    if (word === undefined) continue;
    where.push(
      `EXISTS (SELECT 1 FROM session_words w WHERE w.kind = '${kind}' AND w.word = ${bind(word)} AND w.session_id = s.id)`,
    );
  }
  const order = byActivity ? 's.last_active_at DESC, s.id DESC' : 's.id DESC';
  const rows = yield* query<SessionFactsRow & { share?: ShareLevel }>(
    `${select} ${among === '' ? 'WHERE' : `${among} AND`} ${where.join(' AND ')} ORDER BY ${order} LIMIT ${bind(filter.limit)}`,
    values,
  );
  return rows.map(({ share, ...row }) =>
    share === undefined ? toSessionWithFacts(row) : { ...toSessionWithFacts(row), share },
  );
}

const partOf = (text: string): string =>
  `%${foldName(text).replaceAll(/[!%_]/g, (sign) => `!${sign}`)}%`;

export function* listPending(
  dialect: Dialect,
  host: string,
  limit: number,
): Op<SessionWithFacts[]> {
  const now = yield* dialect.readTime();
  const rows = yield* query<SessionFactsRow>(
    `${SELECT_SESSION} WHERE s.status = 'PENDING' AND (l.host = '' OR l.host = $2) ORDER BY s.id LIMIT $3`,
    [now, host, limit],
    'sessions_pending',
  );
  return rows.map(toSessionWithFacts);
}

const STATUS_EVENTS = (['session.created', 'session.status'] satisfies EventType[])
  .map((type) => `'${type}'`)
  .join(', ');

/**
 * How long a session has been pending is read from the log, so later messages do not restart the
 * wait.
 */
export function* countPending(dialect: Dialect, ageMs: number): Op<number> {
  const now = yield* dialect.readTime();
  const [row] = yield* query<{ n: number }>(
    `SELECT count(*) AS n FROM sessions s WHERE s.status = 'PENDING' AND s.created_at <= $1 AND $1 >= (
       SELECT e.at FROM events e WHERE e.lane = s.id AND e.type IN (${STATUS_EVENTS})
       ORDER BY e.seq DESC LIMIT 1)`,
    [now - ageMs],
    'count_pending',
  );
  return row?.n ?? 0;
}

/** Counts the sessions visible to a user; null counts all. */
export function* countSessions(userId: string | null = null): Op<Record<SessionStatus, number>> {
  const rows = yield* query<{ status: SessionStatus; n: number }>(
    `SELECT status, count(*) AS n FROM sessions ${userId === null ? '' : `WHERE id IN ${visibleTo(1)}`} GROUP BY status`,
    userId === null ? [] : [userId],
  );
  const all = Object.fromEntries(SessionStatus.options.map((status) => [status, 0])) as Record<
    SessionStatus,
    number
  >;
  for (const { status, n } of rows) all[status] = n;
  return all;
}
