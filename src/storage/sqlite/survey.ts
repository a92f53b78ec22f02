import { planClaim, type ReadyLanes } from '../../queue/claim-plan.ts';
import type { ClaimRequest } from '../../queue/store.ts';
import type { Value } from '../statement.ts';
import type { Connection } from './connection.ts';

const READY = `FROM lanes WHERE state = 'ready' AND held = 0 AND head_type = $1`;

/** A lane to take, and the fence it is taken with. */
export interface Pick {
  readonly lane: string;
  readonly fence: number;
}

export interface Survey {
  /** The claiming node's host; null if its lease has ended. */
  readonly host: string | null;
  readonly due: readonly string[];
  readonly delayed: readonly string[];
  readonly answered: readonly string[];
  readonly take: readonly Pick[];
}

/** Which lanes a claim takes: claim-plan.ts over the indexes of the file. */
export function survey(
  connection: Connection,
  request: ClaimRequest,
  now: number,
  upkeep: boolean,
): Survey {
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
  const nothing = { due: [], delayed: [], answered: [], take: [] };
  if (node === undefined) return { host: null, ...nothing };
  const { host } = node;
  if (upkeep) {
    const due = ids(
      `SELECT id FROM runs WHERE position IS NULL AND state = 'queued' AND run_at <= $1 ORDER BY run_at, id LIMIT 100`,
      now,
    );
    const delayed = ids(
      `SELECT id FROM lanes WHERE state = 'delayed' AND ready_at <= $1 ORDER BY ready_at LIMIT 100`,
      now,
    );
    const answered = ids(
      'SELECT id FROM lanes WHERE answered_at IS NOT NULL ORDER BY answered_at LIMIT 100',
    );
    if (due.length + delayed.length + answered.length > 0)
      return { ...nothing, host, due, delayed, answered };
  }

  const take: { lane: string; owner: string; type: string }[] = [];
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
    nextOwner: (type, after) => {
      // No name has a control character, so nothing lies between x and x followed by U+0001.
      const from = after === null ? '' : `${after}\u0001`;
      const owners = [
        ...rows<{ owner: string }>(
          `SELECT owner ${READY} AND host = '' AND owner >= $2 ORDER BY owner LIMIT 1`,
          type,
          from,
        ),
        ...rows<{ owner: string }>(
          `SELECT owner ${READY} AND host = $3 AND owner >= $2 ORDER BY owner LIMIT 1`,
          type,
          from,
          host,
        ),
      ].map(({ owner }) => owner);
      if (owners.length < 2) return owners[0] ?? null;
      // The file compares bytes; JavaScript would compare UTF-16 units.
      return Buffer.compare(Buffer.from(owners[0]!), Buffer.from(owners[1]!)) <= 0
        ? owners[0]!
        : owners[1]!;
    },
    take: (type, owner, most) => {
      const found = [
        ...rows<Found>(
          `SELECT id, ready_at ${READY} AND host = '' AND owner = $2 ORDER BY ready_at, id LIMIT $3`,
          type,
          owner,
          most,
        ),
        ...rows<Found>(
          `SELECT id, ready_at ${READY} AND host = $4 AND owner = $2 ORDER BY ready_at, id LIMIT $3`,
          type,
          owner,
          most,
          host,
        ),
      ].sort((a, b) => a.ready_at - b.ready_at || (a.id < b.id ? -1 : 1));
      const taken = found.slice(0, most);
      for (const { id } of taken) take.push({ lane: id, owner, type });
      return taken.length;
    },
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
  if (take.length === 0) return { host, ...nothing };
  const last = rows<{ last: number }>(
    'UPDATE fences SET last = last + $1 RETURNING last',
    take.length,
  )[0]!.last;
  return {
    host,
    ...nothing,
    take: take.map(({ lane }, i) => ({ lane, fence: last - take.length + 1 + i })),
  };
}

interface Found {
  readonly id: string;
  readonly ready_at: number;
}
