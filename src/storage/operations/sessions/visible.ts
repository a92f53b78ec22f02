import { isTerminal, type Run, RunState } from '../../../contract/run.ts';
import type { Counts, RunFilter } from '../../../queue/store.ts';
import { type RunRow, toRun } from '../../rows.ts';
import { type Op, query, type Value } from '../../statement.ts';
import type { Dialect } from '../dialect.ts';
import { selectRuns } from '../queue-reads.ts';

/**
 * The ids of the sessions visible to the user in placeholder $n: their own and those shared with
 * them.
 */
export const visibleTo = (n: number): string =>
  `(SELECT v.id FROM sessions v WHERE v.owner = $${n} UNION SELECT h.session_id FROM shares h WHERE h.user_id = $${n})`;

/** The positions that an unfinished run can have in its lane `l`. Avoids reading finished runs. */
const AHEAD = '(r.position >= l.last_position OR r.position IS NULL OR r.id = l.run_id)';

/** Starts from the lanes of the visible sessions, so other people's runs cost nothing. */
export function* listVisibleRuns(
  dialect: Dialect,
  userId: string,
  { states, after, limit, newestFirst }: Omit<RunFilter, 'lane'>,
): Op<Run[]> {
  const values: Value[] = [userId];
  const where = [`r.lane IN ${visibleTo(1)}`];
  if (after !== undefined) where.push(`r.id ${newestFirst ? '<' : '>'} $${values.push(after)}`);
  if (states !== undefined) {
    where.push(dialect.oneOf('r.state', values.push(dialect.list(states))));
    if (!states.some(isTerminal)) where.push(AHEAD);
  }
  const order = `ORDER BY r.id ${newestFirst ? 'DESC' : ''}`;
  const ids = `SELECT r.id FROM runs r JOIN lanes l ON l.id = r.lane WHERE ${where.join(' AND ')}
     ${order} LIMIT $${values.push(limit)}`;
  const rows = yield* query<RunRow>(selectRuns(ids, order), values);
  return rows.map(toRun);
}

export function* countVisible(userId: string): Op<Counts> {
  const rows = yield* query<{ state: RunState; n: number }>(
    `SELECT r.state, count(*) AS n FROM runs r WHERE r.lane IN ${visibleTo(1)} GROUP BY r.state`,
    [userId],
  );
  const all = Object.fromEntries(RunState.options.map((state) => [state, 0])) as Counts;
  for (const { state, n } of rows) all[state] = n;
  return all;
}
