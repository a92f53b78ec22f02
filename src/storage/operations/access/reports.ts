import type { Usage } from '../../../access/access-store.ts';
import type { NodeLoad, NodeView } from '../../../contract/node.ts';
import { type NodeViewRow, toNodeView } from '../../access-rows.ts';
import { NODE_COLUMNS } from '../../rows.ts';
import { type Op, query } from '../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../dialect.ts';
import { nameOfHost } from '../queue-reads.ts';

/*
 * The reports that nodes send about every second. Each node has one row, deleted together with the
 * node; a node that was taken over without noticing has no row to write to.
 */

const put = (column: 'load' | 'used'): string =>
  `INSERT INTO node_reports (node_id, ${column}) SELECT id, CAST($2 AS text) FROM nodes WHERE id = $1
   ON CONFLICT (node_id) DO UPDATE SET ${column} = excluded.${column}`;
const PUT_USED = put('used');
const PUT_LOAD = put('load');

export function* exchangeUsage(
  _: Dialect,
  now: number,
  nodeId: string,
  mine: readonly Usage[] | null,
): Op<Done<Usage[]>> {
  if (mine !== null) {
    const used = mine.map(({ key, value }) => [key, value]);
    yield* query(PUT_USED, [nodeId, JSON.stringify(used)], 'put_used');
  }
  const rows = yield* query<{ used: string }>(
    `SELECT r.used FROM node_reports r JOIN nodes n ON n.id = r.node_id
     WHERE n.lease_until > $2 AND r.node_id <> $1 AND r.used IS NOT NULL`,
    [nodeId, now],
    'used_by_others',
  );
  const sums = new Map<string, number>();
  for (const row of rows) {
    for (const [key, value] of JSON.parse(row.used) as [string, number][])
      sums.set(key, (sums.get(key) ?? 0) + value);
  }
  const value = [...sums].map(([key, sum]) => ({ key, value: sum }));
  return { value, hint: NO_HINT };
}

export function* saveLoad(
  _: Dialect,
  now: number,
  nodeId: string,
  load: Omit<NodeLoad, 'at'>,
): Op<Done<void>> {
  yield* query(PUT_LOAD, [nodeId, JSON.stringify({ ...load, at: now })], 'put_load');
  return { value: undefined, hint: NO_HINT };
}

export function* listNodeViews(dialect: Dialect): Op<NodeView[]> {
  const now = yield* dialect.readTime();
  const rows = yield* query<NodeViewRow>(
    `SELECT ${NODE_COLUMNS}, ${nameOfHost('nodes.host')} AS host_name, (SELECT count(*) FROM lanes l WHERE l.node_id = nodes.id) AS executing,
       (SELECT count(*) FROM connections c WHERE c.node_id = nodes.id) AS connections,
       (SELECT r.load FROM node_reports r WHERE r.node_id = nodes.id) AS load
     FROM nodes ORDER BY started_at, id`,
  );
  return rows.map((row) => toNodeView(row, now));
}
