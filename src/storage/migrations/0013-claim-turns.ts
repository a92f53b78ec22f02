import type { Migration } from './migration.ts';

/**
 * A whole claim as one function: it chooses the lanes (the steps of queue/machine/claim-plan.ts)
 * and takes them, which repeats `take` of queue/machine/lane-machine.ts in SQL. So a claim is one
 * round trip under the claim lock without a transaction, and every step is an index descent. SQLite
 * does the same in TypeScript (sqlite/choose-lanes.ts).
 *
 * The function is a loop because a loose index scan has to be written that way. The loop also keeps
 * the query plans independent of the size of the tables; the function's settings fix the plans.
 * Lanes pinned to the node's host are looked up only if there are any, which saves three of six
 * queries per owner. (With 400 lanes of 100 owners, choosing took 28 µs per lane before and 15–20
 * µs after, although the machine was so busy that everything else took nearly twice as long.)
 *
 * Hosts take turns. If claims chose only among the lanes their own host may take, one host could
 * take every freed slot, even if it was the turn of a session on another host (Q4). So a claim
 * chooses among the lanes of all hosts whose workers have free slots, and takes only its own. If it
 * leaves a slot for another host, `claim_turns` records the host, the time, and the type's cap as
 * known to the claiming worker. Later claims compare that cap with the number of executing runs to
 * see whether the slot has been taken. If all nodes are on one host, or a type has no cap, there
 * are no turns.
 *
 * Returns rows (kind, id, fence, run). There are none if the node has no lease. Otherwise there is
 * a 'node' row, followed either by upkeep that must be done first ('due' runs, 'delayed' and
 * 'answered' lanes), after which the caller calls again with upkeep off, or by each claimed 'run'
 * with its fence. A 'left' row means that a slot was left for another host; it becomes a hint. If
 * no time is given, the database's clock is used.
 *
 * The function has the same name and arguments as in databases from before the baseline, so nodes
 * of the previous version take turns as well; they ignore the 'left' rows.
 *
 * Rejected:
 * - One query with window functions over all ready lanes: it grows with the backlog.
 * - `NOT EXISTS` over runs: it took 210 ms when one session had 500,000 queued runs.
 * - Dropping `runs_one_begun` and the state in `runs_due`, to take a run's row without new index
 *   entries: this saves the server 5–10 % of its time and 0.26 kB of WAL per run, but without the
 *   index nothing would stop a bug from starting a second run of a lane.
 * - One descent for the owners of all hosts over an index that starts with (head_type, owner): it
 *   would visit every lane of a host that is offline, and there may be a million of them (Q5).
 */
const tables = `
CREATE TABLE claim_turns (
  type ID NOT NULL,
  host ID NOT NULL,
  since BIG NOT NULL,
  cap BIG NOT NULL,
  PRIMARY KEY (type, host)
);
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');

/**
 * SQL that later migrations add to the condition for answered lanes, or run before lanes are
 * chosen.
 */
export interface ClaimConditions {
  readonly answered: string;
  readonly take: string;
}

export const claimRunsFunction = ({ answered, take }: ClaimConditions): string => `
CREATE OR REPLACE FUNCTION claim_runs(
  p_node text, p_types text[], p_type_caps bigint[], p_owner_cap bigint, p_limit bigint, p_time bigint, p_upkeep boolean
) RETURNS TABLE (kind text, id text, fence bigint, run runs)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_node nodes;
  v_now bigint;
  v_found boolean;
  v_limit bigint;
  v_open_types text[] := '{}';
  v_open_cap bigint[] := '{}';
  v_open_room bigint[] := '{}';
  v_open_pinned boolean[] := '{}';
  v_room bigint;
  v_type text;
  v_pinned boolean;
  v_others boolean;
  v_cap bigint;
  v_count bigint;
  v_here bigint;
  v_other_hosts text[];
  v_other_free bigint[];
  v_slots bigint;
  v_after text;
  v_wrapped boolean;
  v_owner text;
  v_pinned_owner text;
  v_idle bigint;
  v_owners text[];
  v_executing bigint[];
  v_rooms bigint[];
  v_first text;
  v_lanes text[] := '{}';
  v_claimed text[] := '{}';
  v_taken bigint[];
  v_waiting bigint[];
  v_order int[];
  v_k int;
  v_rank int;
  v_want bigint;
  v_got bigint;
  v_away bigint;
  v_stop int;
  v_host text;
  v_hosts text[];
  v_id text;
  v_ids text[];
BEGIN
  -- Caps are counted and slots given out under one lock, so two workers never exceed them together.
  -- A process that is stopped in the middle must not keep all others from claiming for long.
  PERFORM set_config('idle_in_transaction_session_timeout', '3s', true);
  PERFORM pg_advisory_xact_lock(hashtext('baton claim'), hashtext(current_schema()));
  v_now := coalesce(p_time, (extract(epoch from clock_timestamp()) * 1000)::bigint);
  -- Shared until the commit, so that whoever takes over this node's lanes sees this claim or stops it.
  SELECT * INTO v_node FROM nodes n WHERE n.id = p_node AND n.lease_until > v_now FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  kind := 'node'; RETURN NEXT;

  IF p_upkeep THEN
    RETURN QUERY SELECT 'due'::text, r.id::text, 0::bigint, NULL::runs FROM runs r
      WHERE r.position IS NULL AND r.state = 'queued' AND r.run_at <= v_now ORDER BY r.run_at, r.id LIMIT 100;
    v_found := FOUND;
    RETURN QUERY SELECT 'delayed'::text, l.id::text, 0::bigint, NULL::runs FROM lanes l
      WHERE l.state = 'delayed' AND l.ready_at <= v_now ORDER BY l.ready_at LIMIT 100;
    v_found := v_found OR FOUND;
    RETURN QUERY SELECT 'answered'::text, l.id::text, 0::bigint, NULL::runs FROM lanes l
      WHERE l.answered_at IS NOT NULL${answered} ORDER BY l.answered_at LIMIT 100;
    v_found := v_found OR FOUND;
    IF v_found THEN RETURN; END IF;
  END IF;
${take}
  v_limit := least(p_limit, v_node.capacity -
    (SELECT count(*) FROM lanes l WHERE l.node_id = p_node AND l.state = 'running'));
  v_others := EXISTS (SELECT 1 FROM nodes n WHERE n.host <> v_node.host AND n.lease_until > v_now);
  FOR v_k IN 1 .. coalesce(cardinality(p_types), 0) LOOP
    v_type := p_types[v_k];
    v_cap := p_type_caps[v_k];
    v_pinned := EXISTS (SELECT 1 FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host);
    v_room := 1000000000;
    IF v_cap >= 0 THEN
      v_count := (SELECT count(*) FROM lanes l WHERE l.state = 'running' AND l.head_type = v_type);
      v_room := v_cap - v_count;
      -- A turn is over if there is nothing to take, or the slot that was left is gone.
      IF v_others THEN
        DELETE FROM claim_turns t WHERE t.type = v_type AND t.host = v_node.host AND (v_count >= t.cap OR NOT v_pinned);
      END IF;
    END IF;
    IF v_room > 0 AND (v_pinned OR
      EXISTS (SELECT 1 FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = '')
    ) THEN
      v_open_types := v_open_types || v_type;
      v_open_cap := v_open_cap || v_cap;
      v_open_room := v_open_room || v_room;
      v_open_pinned := v_open_pinned || v_pinned;
    END IF;
  END LOOP;

  FOR v_k IN 1 .. coalesce(cardinality(v_open_types), 0) LOOP
    EXIT WHEN v_limit <= 0;
    v_type := v_open_types[v_k];
    v_pinned := v_open_pinned[v_k];
    v_cap := v_open_cap[v_k];
    v_here := least(v_open_room[v_k], ceil(v_limit::numeric / (cardinality(v_open_types) - v_k + 1))::bigint);
    v_slots := v_here;

    -- Hosts that compete for the slots of a capped type: they have lanes of their own and free slots,
    -- and came when a slot was left for them. None if there are slots enough for everybody.
    v_other_hosts := NULL; v_other_free := NULL;
    IF v_others AND v_cap >= 0 THEN
      SELECT array_agg(h.host), array_agg(h.free) INTO v_other_hosts, v_other_free FROM (
        SELECT n.host, sum(greatest(0, n.capacity -
          (SELECT count(*) FROM lanes l WHERE l.node_id = n.id AND l.state = 'running')))::bigint AS free
        FROM nodes n
        WHERE n.host <> v_node.host AND n.lease_until > v_now AND n.types::jsonb ? v_type
          AND EXISTS (SELECT 1 FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = n.host)
          AND NOT EXISTS (SELECT 1 FROM claim_turns t WHERE t.type = v_type AND t.host = n.host AND t.since <= v_now - 1000)
        GROUP BY n.host
      ) h WHERE h.free > 0;
      IF v_open_room[v_k] >= v_here + (SELECT sum(f) FROM unnest(v_other_free) f) THEN
        v_other_hosts := NULL;
      ELSIF v_other_hosts IS NOT NULL THEN
        v_slots := least(v_open_room[v_k], 2 * v_here + 16);
      END IF;
    END IF;

    -- The owners past the cursor, round the circle, no more than needed.
    v_owners := '{}'; v_executing := '{}'; v_rooms := '{}'; v_taken := '{}'; v_waiting := '{}'; v_idle := 0; v_first := NULL;
    SELECT c.owner INTO v_after FROM claim_cursors c WHERE c.type = v_type;
    v_wrapped := v_after IS NULL;
    -- No name has a control character, so nothing lies between x and x followed by chr(1).
    v_after := coalesce(v_after || chr(1), '');
    WHILE cardinality(v_owners) < 2 * v_slots + 16 AND v_idle < v_slots LOOP
      SELECT l.owner INTO v_owner FROM lanes l
        WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = '' AND l.owner >= v_after
        ORDER BY l.owner LIMIT 1;
      IF v_other_hosts IS NOT NULL THEN
        SELECT min(o.owner) INTO v_pinned_owner FROM unnest(v_other_hosts || v_node.host) AS h(host) CROSS JOIN LATERAL (
          SELECT l.owner FROM lanes l
          WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = h.host AND l.owner >= v_after
          ORDER BY l.owner LIMIT 1) o;
        v_owner := least(v_owner COLLATE "C", v_pinned_owner COLLATE "C");
      ELSIF v_pinned THEN
        SELECT l.owner INTO v_pinned_owner FROM lanes l
          WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host AND l.owner >= v_after
          ORDER BY l.owner LIMIT 1;
        v_owner := CASE WHEN v_owner IS NULL OR v_pinned_owner COLLATE "C" < v_owner COLLATE "C" THEN v_pinned_owner ELSE v_owner END;
      END IF;
      IF v_owner IS NULL AND NOT v_wrapped THEN
        v_wrapped := true;
        v_after := '';
        CONTINUE;
      END IF;
      EXIT WHEN v_owner IS NULL OR v_owner = v_first;
      v_first := coalesce(v_first, v_owner);
      v_after := v_owner || chr(1);
      v_room := 1000000000;
      IF p_owner_cap IS NOT NULL THEN
        v_room := p_owner_cap - (SELECT count(*) FROM lanes l WHERE l.state = 'running' AND l.owner = v_owner)
          - cardinality(array_positions(v_claimed, v_owner));
        -- Owners at their cap are passed by; there are no more of them than runs executing.
        CONTINUE WHEN v_room <= 0;
      END IF;
      v_count := (SELECT count(*) FROM lanes l WHERE l.state = 'running' AND l.owner = v_owner AND l.head_type = v_type);
      IF v_count = 0 THEN v_idle := v_idle + 1; END IF;
      v_owners := v_owners || v_owner;
      v_executing := v_executing || v_count;
      v_rooms := v_rooms || v_room;
      v_taken := v_taken || 0::bigint;
      v_waiting := v_waiting || 0::bigint;
    END LOOP;
    CONTINUE WHEN cardinality(v_owners) = 0;

    -- Fewest executing first; among equals in turn.
    SELECT array_agg(o.i ORDER BY v_executing[o.i], o.i) INTO v_order
      FROM generate_subscripts(v_owners, 1) AS o(i);
    FOR v_rank IN 1 .. cardinality(v_order) LOOP
      EXIT WHEN v_slots <= 0 OR v_here <= 0;
      v_owner := v_owners[v_order[v_rank]];
      v_want := least(greatest(1, v_slots / (cardinality(v_order) - v_rank + 1)), v_slots, v_rooms[v_order[v_rank]]);
      v_got := 0;
      v_away := 0;
      IF v_other_hosts IS NOT NULL THEN
        -- The longest ready among all hosts: those of this one are taken, for the others a slot is left.
        v_ids := '{}';
        FOR v_id, v_host IN
          SELECT c.id, c.host FROM (
            SELECT m.id, h.host, m.ready_at FROM unnest(ARRAY['', v_node.host]) AS h(host) CROSS JOIN LATERAL (
              SELECT l.id, l.ready_at FROM lanes l
              WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = h.host AND l.owner = v_owner
              ORDER BY l.ready_at, l.id LIMIT least(v_want, v_here) FOR UPDATE SKIP LOCKED) m
            UNION ALL
            SELECT NULL, h.host, m.ready_at FROM unnest(v_other_hosts, v_other_free) AS h(host, free) CROSS JOIN LATERAL (
              SELECT l.ready_at FROM lanes l
              WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = h.host AND l.owner = v_owner
              ORDER BY l.ready_at LIMIT least(v_want, h.free)) m
          ) c ORDER BY c.ready_at, c.id NULLS LAST
        LOOP
          EXIT WHEN v_got + v_away >= v_want;
          IF v_id IS NULL THEN
            v_away := v_away + 1;
            v_other_free[array_position(v_other_hosts, v_host)] := v_other_free[array_position(v_other_hosts, v_host)] - 1;
            INSERT INTO claim_turns (type, host, since, cap) VALUES (v_type, v_host, v_now, v_cap) ON CONFLICT DO NOTHING;
            IF FOUND THEN kind := 'left'; id := v_host; RETURN NEXT; END IF;
          ELSIF v_got < greatest(1, v_here / (cardinality(v_order) - v_rank + 1)) THEN
            v_got := v_got + 1;
            v_ids := v_ids || v_id;
          END IF;
        END LOOP;
        v_lanes := v_lanes || v_ids;
      ELSE
        -- Lanes of this host and lanes of no host lie apart in the index: the longer waiting part first.
        v_hosts := ARRAY[''];
        IF v_pinned THEN
          v_hosts := CASE WHEN
            (SELECT min(l.ready_at) FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host AND l.owner = v_owner) <
            (SELECT min(l.ready_at) FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = '' AND l.owner = v_owner)
            THEN ARRAY[v_node.host, ''] ELSE ARRAY['', v_node.host] END;
        END IF;
        FOREACH v_host IN ARRAY v_hosts LOOP
          EXIT WHEN v_got >= v_want;
          SELECT array_agg(f.id) INTO v_ids FROM (
            SELECT l.id FROM lanes l
            WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_host AND l.owner = v_owner
            ORDER BY l.ready_at, l.id LIMIT v_want - v_got FOR UPDATE SKIP LOCKED) f;
          v_lanes := v_lanes || v_ids;
          v_got := v_got + coalesce(cardinality(v_ids), 0);
        END LOOP;
      END IF;
      v_taken[v_order[v_rank]] := v_got;
      v_waiting[v_order[v_rank]] := v_away;
      v_slots := v_slots - v_got - v_away;
      v_here := v_here - v_got;
      v_limit := v_limit - v_got;
      IF p_owner_cap IS NOT NULL THEN v_claimed := v_claimed || array_fill(v_owner, ARRAY[v_got::int]); END IF;
    END LOOP;

    -- The next turn starts behind the last owner seen, but never skips one that has nothing executing
    -- or that a slot was left for.
    v_stop := cardinality(v_owners);
    FOR v_rank IN 1 .. cardinality(v_owners) LOOP
      IF v_taken[v_rank] = 0 AND (v_executing[v_rank] = 0 OR v_waiting[v_rank] > 0) THEN
        v_stop := v_rank - 1;
        EXIT;
      END IF;
    END LOOP;
    IF v_stop >= 1 THEN
      INSERT INTO claim_cursors AS c (type, owner) VALUES (v_type, v_owners[v_stop])
        ON CONFLICT (type) DO UPDATE SET owner = excluded.owner WHERE c.owner <> excluded.owner;
    END IF;
    -- This host came in its turn.
    IF v_others AND v_cap >= 0 AND 0 < (SELECT sum(t) FROM unnest(v_taken) t) THEN
      DELETE FROM claim_turns t WHERE t.type = v_type AND t.host = v_node.host;
    END IF;
  END LOOP;
  IF cardinality(v_lanes) = 0 THEN RETURN; END IF;

  RETURN QUERY
  WITH picked AS (
    SELECT l.id AS lane, nextval('fences') AS fence, f.i, r.id AS run_id, r.state, r.attempts + 1 AS attempts,
      CASE WHEN l.run_id IS NULL THEN r.position END AS position
    FROM unnest(v_lanes) WITH ORDINALITY AS f(id, i)
    JOIN lanes l ON l.id = f.id
    JOIN runs r ON r.id = coalesce(l.run_id,
      (SELECT q.id FROM runs q WHERE q.lane = l.id AND q.position > l.last_position AND q.state = 'queued' ORDER BY q.position LIMIT 1))
  ), lane_rows AS (
    UPDATE lanes AS l SET state = 'running', node_id = p_node, fence = p.fence, last_write = 0, run_id = p.run_id,
      queued = l.queued - CASE WHEN l.run_id IS NULL THEN 1 ELSE 0 END,
      last_position = coalesce(p.position, l.last_position),
      host = CASE WHEN l.pin = 1 AND l.host = '' THEN v_node.host ELSE l.host END,
      next_seq = l.next_seq + 1
    FROM picked p WHERE l.id = p.lane
    RETURNING p.lane, l.next_seq - 1 AS seq, p.run_id, p.attempts
  ), event_rows AS (
    INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
    SELECT e.lane, e.seq, e.run_id, e.attempts, 'run.dequeued', json_build_object('node', p_node)::text, v_now FROM lane_rows e
  ), count_rows AS (
    INSERT INTO run_counts (state, n)
    SELECT p.state, -count(*) FROM picked p GROUP BY p.state UNION ALL SELECT 'dequeued', count(*) FROM picked
  ), run_rows AS (
    UPDATE runs AS r SET state = 'dequeued', attempts = p.attempts, next_run_at = NULL, updated_at = v_now
    FROM picked p WHERE r.id = p.run_id
    RETURNING p.fence, p.i, r AS run
  )
  SELECT 'run'::text, NULL::text, t.fence, t.run FROM run_rows t ORDER BY t.i;
END $$;
`;

const postgres = `
${tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint')}${claimRunsFunction({ answered: '', take: '' })}`;

export const claimTurns: Migration = { id: 13, name: 'claim turns', sqlite, postgres };
