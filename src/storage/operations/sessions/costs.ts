import type { CostBy, CostLine } from '../../../contract/api/cost.ts';
import type { CostFilter } from '../../../sessions/session-store.ts';
import { type Op, query, type Value } from '../../statement.ts';
import { SUMS, type SumsRow, toSums } from './invocations.ts';
import { visibleTo } from './visible.ts';

const DAY_MS = 86_400_000;

/** An unknown value is represented by the empty string. */
const KEYS: Readonly<Record<CostBy, string>> = {
  day: `i.finished_at / ${DAY_MS}`,
  user: `coalesce(i.user_id, '')`,
  channel: `coalesce(i.channel, '')`,
  model: `coalesce(i.model, '')`,
  session: 'i.session_id',
};

/** Reads the invocations that ended in the period, through their index. */
export function* listCosts({ by, from, to, visibleTo: userId, limit }: CostFilter): Op<CostLine[]> {
  const values: Value[] = [from, to, limit];
  const seen = userId === undefined ? '' : `AND i.session_id IN ${visibleTo(values.push(userId))}`;
  const key = KEYS[by];
  const rows = yield* query<SumsRow & { key: string | number }>(
    `SELECT ${key} AS key, ${SUMS} FROM invocations i WHERE i.finished_at >= $1 AND i.finished_at < $2 ${seen}
     GROUP BY ${key} ORDER BY ${by === 'day' ? '1' : 'cost DESC, 1'} LIMIT $3`,
    values,
  );
  return rows.map((row) => ({
    key: by === 'day' ? dayOf(row.key as number) : (row.key as string),
    ...toSums(row),
  }));
}

const dayOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
