import type { NodeInfo } from '../../contract/node.ts';
import { LaneChange } from '../../queue/machine/lane-change.ts';
import { crash } from '../../queue/machine/lane-machine.ts';
import type { HeldLane, Poll, TakenOverRun } from '../../queue/store.ts';
import { NODE_COLUMNS, type NodeRow, toNode } from '../rows.ts';
import { type Op, query, queryOne } from '../statement.ts';
import { type Dialect, type Done, done, NO_HINT } from './dialect.ts';

/** Must be safe to repeat, because the response may have been lost. */
export function* join(_: Dialect, now: number, node: NodeInfo, leaseMs: number): Op<Done<void>> {
  yield* query(
    `INSERT INTO nodes (id, host, boot_id, pid_namespace, pid, pid_start, roles, types, capacity, version, lease_until, started_at, url)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (id) DO UPDATE SET types = excluded.types, capacity = excluded.capacity, lease_until = excluded.lease_until`,
    [
      node.id,
      node.host,
      node.bootId,
      node.pidNamespace,
      node.pid,
      node.pidStart,
      JSON.stringify(node.roles),
      JSON.stringify(node.types),
      node.capacity,
      node.version,
      now + leaseMs,
      now,
      node.url ?? null,
    ],
  );
  return { value: undefined, hint: NO_HINT };
}

/** An expired lease is not renewed: others may already have taken over. */
export function* renew(
  _: Dialect,
  now: number,
  nodeId: string,
  leaseMs: number,
): Op<Done<boolean>> {
  const rows = yield* query(
    'UPDATE nodes SET lease_until = $3 WHERE id = $1 AND lease_until > $2 RETURNING id',
    [nodeId, now, now + leaseMs],
  );
  return { value: rows.length > 0, hint: NO_HINT };
}

export function* leave(dialect: Dialect, now: number, nodeId: string): Op<Done<void>> {
  const { hint } = yield* takeOverNode(dialect, now, nodeId, true);
  return { value: undefined, hint };
}

/**
 * Takes over the runs of a dead node, and removes the node (Q7). A node that is not proven dead may
 * have renewed its lease after another node saw it expire; in that case, nothing happens.
 */
export function* takeOverNode(
  dialect: Dialect,
  now: number,
  nodeId: string,
  proven: boolean,
): Op<Done<TakenOverRun[]>> {
  // The node's own claims hold a shared lock on this row until they commit, so no claim can commit
  // after this.
  yield* dialect.lockNode(nodeId);
  const node = yield* queryOne<{ lease_until: number }>(
    'SELECT lease_until FROM nodes WHERE id = $1',
    [nodeId],
  );
  if (!proven && node !== null && node.lease_until > now) return done([], []);
  const rows = yield* query<{ id: string }>('SELECT id FROM lanes WHERE node_id = $1', [nodeId]);
  const held = rows.length === 0 ? [] : yield* dialect.lockBegun(rows.map(({ id }) => id).sort());
  const takenOver: TakenOverRun[] = [];
  const changes: LaneChange[] = [];
  for (const { lane, run } of held) {
    // The node ended the run itself before we got the lock.
    if (lane.nodeId !== nodeId) continue;
    const change = new LaneChange(lane, now);
    crash(change, run);
    changes.push(change);
    takenOver.push({
      run: run.id,
      lane: lane.id,
      node: nodeId,
      state: run.state,
      crashes: run.crashes,
    });
  }
  if (changes.length > 0) yield* dialect.save(changes);
  yield* query('DELETE FROM nodes WHERE id = $1', [nodeId]);
  return done(takenOver, changes);
}

/** The nodes whose lease has expired. */
export function* listExpired(dialect: Dialect): Op<string[]> {
  const now = yield* dialect.readTime();
  const rows = yield* query<{ id: string }>('SELECT id FROM nodes WHERE lease_until <= $1', [now]);
  return rows.map(({ id }) => id);
}

export function* poll(dialect: Dialect, nodeId: string): Op<Poll> {
  const now = yield* dialect.readTime();
  const holds = yield* query<{ lane: string } & Omit<HeldLane, 'lane'>>(
    'SELECT id AS lane, fence, state, cancel FROM lanes WHERE node_id = $1',
    [nodeId],
    'poll_holds',
  );
  const nodes = yield* query<NodeRow>(
    `SELECT ${NODE_COLUMNS} FROM nodes WHERE id <> $1 AND (lease_until <= $2 OR host = (SELECT host FROM nodes WHERE id = $1))`,
    [nodeId, now],
    'poll_nodes',
  );
  const next = yield* queryOne<{ delayed: number | null; due: number | null; stops: number }>(
    `SELECT (SELECT min(ready_at) FROM lanes WHERE state = 'delayed') AS delayed,
            (SELECT min(run_at) FROM runs WHERE position IS NULL AND state = 'queued') AS due,
            (SELECT count(*) FROM stop) AS stops`,
  );
  const times = [next!.delayed, next!.due].filter((time) => time !== null);
  return {
    holds: holds.map(({ lane, fence, state, cancel }) => ({ lane, fence, state, cancel })),
    nodes: nodes.map((row) => ({ ...toNode(row), expired: row.lease_until <= now })),
    nextDueMs: times.length === 0 ? null : Math.max(0, Math.min(...times) - now),
    stopped: next!.stops > 0,
  };
}
