import { planClaim, type ReadyLanes, TURN_MS, type Turn } from '../../queue/machine/claim-plan.ts';
import type { ClaimRequest } from '../../queue/store.ts';
import type { Value } from '../statement.ts';
import type { Connection } from './connection.ts';

const READY = `FROM lanes WHERE state = 'ready' AND held = 0 AND head_type = $1`;

/** A lane to claim, with its new fence. */
export interface ChosenLane {
  readonly lane: string;
  readonly fence: number;
}

export interface LaneChoice {
  /** The claiming node's host; null if its lease has expired. */
  readonly host: string | null;
  readonly due: readonly string[];
  readonly delayed: readonly string[];
  readonly answered: readonly string[];
  readonly take: readonly ChosenLane[];
  /** A slot was left for another host, which must be sent a hint. */
  readonly left: boolean;
}

/** Decides which lanes a claim takes: applies claim-plan.ts to the file's indexes. */
export function chooseLanes(
  connection: Connection,
  request: ClaimRequest,
  now: number,
  upkeep: boolean,
): LaneChoice {
  const rows = <R>(text: string, ...values: Value[]): R[] =>
    connection.query({ text, values }) as unknown as R[];
  const count = (text: string, ...values: Value[]): number =>
    rows<{ n: number }>(text, ...values)[0]!.n;
  const ids = (text: string, ...values: Value[]): string[] =>
    rows<{ id: string }>(text, ...values).map(({ id }) => id);

  const [node] = rows<{ host: string; capacity: number }>(
    'SELECT host, capacity FROM nodes WHERE id = $1 AND lease_until > $2',
    request.nodeId,
    now,
  );
  const nothing = { due: [], delayed: [], answered: [], take: [], left: false };
  if (node === undefined) return { host: null, ...nothing };
  const { host } = node;
  const stopped = count('SELECT count(*) AS n FROM stop') > 0;
  if (upkeep) {
    const due = ids(
      `SELECT id FROM runs WHERE position IS NULL AND state = 'queued' AND run_at <= $1 ORDER BY run_at, id LIMIT 100`,
      now,
    );
    const delayed = ids(
      `SELECT id FROM lanes WHERE state = 'delayed' AND ready_at <= $1 ORDER BY ready_at LIMIT 100`,
      now,
    );
    const answered = stopped
      ? []
      : ids('SELECT id FROM lanes WHERE answered_at IS NOT NULL ORDER BY answered_at LIMIT 100');
    if (due.length + delayed.length + answered.length > 0)
      return { ...nothing, host, due, delayed, answered };
  }

  if (stopped) return { host, ...nothing };
  const take: { lane: string; owner: string; type: string }[] = [];
  let left = false;
  const lanes: ReadyLanes = {
    cursor: (type) =>
      rows<{ owner: string }>('SELECT owner FROM claim_cursors WHERE type = $1', type)[0]?.owner ??
      null,
    setCursor: (type, owner) => {
      rows(
        'INSERT INTO claim_cursors VALUES ($1, $2) ON CONFLICT (type) DO UPDATE SET owner = excluded.owner',
        type,
        owner,
      );
    },
    otherHosts: (type) =>
      new Map(
        rows<{ host: string; free: number }>(OTHER_HOSTS, type, host, now, now - TURN_MS).map(
          (other) => [other.host, other.free],
        ),
      ),
    nextOwner: (type, after, others) => {
      // Names have no control characters, so nothing sorts between x and x followed by U+0001.
      const from = after === null ? '' : `${after}\u0001`;
      const owners = ['', host, ...others.keys()].flatMap((one) =>
        rows<{ owner: string }>(
          `SELECT owner ${READY} AND host = $2 AND owner >= $3 ORDER BY owner LIMIT 1`,
          type,
          one,
          from,
        ).map(({ owner }) => owner),
      );
      // SQLite compares bytes; JavaScript would compare UTF-16 code units.
      return owners.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0] ?? null;
    },
    share: (type, owner, count, here, others) => {
      const readyOn = (one: string, most: number): ReadyLane[] =>
        rows<ReadyLane>(
          `SELECT id, host, ready_at ${READY} AND host = $2 AND owner = $3 ORDER BY ready_at, id LIMIT $4`,
          type,
          one,
          owner,
          most,
        );
      const own = Math.min(count, here);
      const next = [
        ...readyOn('', own),
        ...readyOn(host, own),
        ...[...others].flatMap(([other, free]) => readyOn(other, Math.min(count, free))),
      ].sort((a, b) => a.ready_at - b.ready_at || (a.id < b.id ? -1 : 1));
      let taken = 0;
      const left: string[] = [];
      for (const lane of next) {
        if (taken + left.length === count) break;
        if (others.has(lane.host)) left.push(lane.host);
        else if (taken < own) {
          take.push({ lane: lane.id, owner, type });
          taken++;
        }
      }
      return { taken, left };
    },
    leave: (type, other, cap) => {
      const fresh = rows(
        'INSERT INTO claim_turns VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING type',
        type,
        other,
        now,
        cap,
      );
      left ||= fresh.length > 0;
    },
    turn: (type) =>
      rows<Turn>(
        'SELECT since, cap FROM claim_turns WHERE type = $1 AND host = $2',
        type,
        host,
      )[0] ?? null,
    endTurn: (type) => {
      rows('DELETE FROM claim_turns WHERE type = $1 AND host = $2', type, host);
    },
    hasOwn: (type) => rows(`SELECT 1 ${READY} AND host = $2 LIMIT 1`, type, host).length > 0,
    executingOfType: (type) =>
      count(`SELECT count(*) AS n FROM lanes WHERE state = 'running' AND head_type = $1`, type),
    executingOfOwner: (owner, type) => {
      const taken = take.filter(
        (one) => one.owner === owner && (type === null || one.type === type),
      ).length;
      return type === null
        ? taken +
            count(`SELECT count(*) AS n FROM lanes WHERE state = 'running' AND owner = $1`, owner)
        : taken +
            count(
              `SELECT count(*) AS n FROM lanes WHERE state = 'running' AND owner = $1 AND head_type = $2`,
              owner,
              type,
            );
    },
  };
  const busy = count(
    `SELECT count(*) AS n FROM lanes WHERE node_id = $1 AND state = 'running'`,
    request.nodeId,
  );
  const limit = Math.min(request.limit, node.capacity - busy);
  if (limit <= 0) return { host, ...nothing };
  planClaim(lanes, { types: request.types, limit, caps: request.caps });
  if (take.length === 0) return { host, ...nothing, left };
  const last = rows<{ last: number }>(
    'UPDATE fences SET last = last + $1 RETURNING last',
    take.length,
  )[0]!.last;
  return {
    host,
    ...nothing,
    left,
    take: take.map(({ lane }, i) => ({ lane, fence: last - take.length + 1 + i })),
  };
}

/**
 * Hosts other than $2 that have pinned lanes and free slots, except those that missed their turn.
 */
const OTHER_HOSTS = `SELECT n.host, sum(n.free) AS free FROM (
    SELECT host, types, capacity - (SELECT count(*) FROM lanes WHERE node_id = nodes.id AND state = 'running') AS free
    FROM nodes WHERE host <> $2 AND lease_until > $3
  ) n
  WHERE n.free > 0 AND EXISTS (SELECT 1 FROM json_each(n.types) WHERE value = $1)
    AND EXISTS (SELECT 1 ${READY} AND lanes.host = n.host)
    AND NOT EXISTS (SELECT 1 FROM claim_turns t WHERE t.type = $1 AND t.host = n.host AND t.since <= $4)
  GROUP BY n.host`;

interface ReadyLane {
  readonly id: string;
  readonly host: string;
  readonly ready_at: number;
}
