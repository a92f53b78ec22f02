import type { Migration } from './migration.ts';

/**
 * Which lanes a claim takes, as one function in PostgreSQL (the steps are those of
 * queue/machine/claim-plan.ts): one round trip under the claim lock, and every step an index descent.
 * Written as a loop because a loose index scan is one, and because its statements then have plans
 * that cannot change shape with the size of the tables; the settings say so to the planner.
 * Rejected: one query with window functions over all ready lanes (grows with the backlog), and
 * `NOT EXISTS` over runs (210 ms where one session had 500 k queued).
 *
 * SQLite does the same in TypeScript (storage/sqlite/survey.ts), so there it has nothing to add.
 *
 * Answers rows (kind, id, fence): none if the node has no lease; else a 'node' row with its host, and
 * either upkeep that must be done first ('due' runs, 'delayed' and 'answered' lanes), after which the
 * caller asks again with upkeep off, or the lanes to 'take', locked, each with its fence.
 */
const postgres = `
CREATE FUNCTION claim_survey(
  p_node text, p_types text[], p_type_caps bigint[], p_owner_cap bigint, p_limit bigint, p_now bigint, p_upkeep boolean
) RETURNS TABLE (kind text, id text, fence bigint)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_node nodes;
  v_found boolean := false;
  v_left bigint;
  v_open_types text[] := '{}';
  v_open_room bigint[] := '{}';
  v_room bigint;
  v_type text;
  v_slots bigint;
  v_from text;
  v_after text;
  v_wrapped boolean;
  v_owner text;
  v_pinned_owner text;
  v_idle bigint;
  v_owners text[];
  v_executing bigint[];
  v_rooms bigint[];
  v_first text;
  v_count bigint;
  v_claimed text[] := '{}';
  v_taken bigint[];
  v_order int[];
  v_k int;
  v_rank int;
  v_want bigint;
  v_got bigint;
  v_stop int;
  v_id text;
  v_free_at bigint;
  v_pinned_at bigint;
  v_pinned_first boolean;
BEGIN
  -- Caps are counted and slots given out under one lock, so two workers never exceed them together.
  -- A process that is stopped in the middle must not keep all others from claiming for long.
  PERFORM set_config('idle_in_transaction_session_timeout', '3s', true);
  PERFORM pg_advisory_xact_lock(hashtext('baton claim'), hashtext(current_schema()));
  -- Shared until the commit, so that whoever takes over this node's lanes sees this claim or stops it.
  SELECT * INTO v_node FROM nodes n WHERE n.id = p_node AND n.lease_until > p_now FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  kind := 'node'; id := v_node.host; fence := 0; RETURN NEXT;

  IF p_upkeep THEN
    RETURN QUERY SELECT 'due'::text, r.id::text, 0::bigint FROM runs r
      WHERE r.position IS NULL AND r.state = 'queued' AND r.run_at <= p_now ORDER BY r.run_at, r.id LIMIT 100;
    v_found := FOUND;
    RETURN QUERY SELECT 'delayed'::text, l.id::text, 0::bigint FROM lanes l
      WHERE l.state = 'delayed' AND l.ready_at <= p_now ORDER BY l.ready_at LIMIT 100;
    v_found := v_found OR FOUND;
    RETURN QUERY SELECT 'answered'::text, l.id::text, 0::bigint FROM lanes l
      WHERE l.answered_at IS NOT NULL ORDER BY l.answered_at LIMIT 100;
    v_found := v_found OR FOUND;
    IF v_found THEN RETURN; END IF;
  END IF;

  v_left := least(p_limit, v_node.capacity -
    (SELECT count(*) FROM lanes l WHERE l.node_id = p_node AND l.state = 'running'));
  FOR v_k IN 1 .. coalesce(cardinality(p_types), 0) LOOP
    v_room := 1000000000;
    IF p_type_caps[v_k] >= 0 THEN
      v_room := p_type_caps[v_k] - (SELECT count(*) FROM lanes l WHERE l.state = 'running' AND l.head_type = p_types[v_k]);
    END IF;
    IF v_room > 0 AND (
      EXISTS (SELECT 1 FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = p_types[v_k] AND l.host = '') OR
      EXISTS (SELECT 1 FROM lanes l WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = p_types[v_k] AND l.host = v_node.host)
    ) THEN
      v_open_types := v_open_types || p_types[v_k];
      v_open_room := v_open_room || v_room;
    END IF;
  END LOOP;

  FOR v_k IN 1 .. coalesce(cardinality(v_open_types), 0) LOOP
    EXIT WHEN v_left <= 0;
    v_type := v_open_types[v_k];
    v_slots := least(v_open_room[v_k], ceil(v_left::numeric / (cardinality(v_open_types) - v_k + 1))::bigint);

    -- The owners past the cursor, round the circle, no more than needed.
    v_owners := '{}'; v_executing := '{}'; v_rooms := '{}'; v_taken := '{}'; v_idle := 0; v_first := NULL;
    SELECT c.owner INTO v_from FROM claim_cursors c WHERE c.type = v_type;
    v_wrapped := v_from IS NULL;
    -- No name has a control character, so nothing lies between x and x followed by chr(1).
    v_after := coalesce(v_from || chr(1), '');
    WHILE cardinality(v_owners) < 2 * v_slots + 16 AND v_idle < v_slots LOOP
      SELECT l.owner INTO v_owner FROM lanes l
        WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = '' AND l.owner >= v_after
        ORDER BY l.owner LIMIT 1;
      SELECT l.owner INTO v_pinned_owner FROM lanes l
        WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host AND l.owner >= v_after
        ORDER BY l.owner LIMIT 1;
      v_owner := CASE WHEN v_owner IS NULL OR v_pinned_owner COLLATE "C" < v_owner COLLATE "C" THEN v_pinned_owner ELSE v_owner END;
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
      SELECT count(*) INTO v_count FROM lanes l WHERE l.state = 'running' AND l.owner = v_owner AND l.head_type = v_type;
      IF v_count = 0 THEN v_idle := v_idle + 1; END IF;
      v_owners := v_owners || v_owner;
      v_executing := v_executing || v_count;
      v_rooms := v_rooms || v_room;
      v_taken := v_taken || 0::bigint;
    END LOOP;
    CONTINUE WHEN cardinality(v_owners) = 0;

    -- Fewest executing first; among equals in turn.
    SELECT array_agg(o.i ORDER BY v_executing[o.i], o.i) INTO v_order
      FROM generate_subscripts(v_owners, 1) AS o(i);
    FOR v_rank IN 1 .. cardinality(v_order) LOOP
      EXIT WHEN v_slots <= 0;
      v_owner := v_owners[v_order[v_rank]];
      v_want := least(greatest(1, v_slots / (cardinality(v_order) - v_rank + 1)), v_slots, v_rooms[v_order[v_rank]]);
      -- Lanes of this host and lanes of no host lie apart in the index: the longer waiting part first.
      SELECT l.ready_at INTO v_free_at FROM lanes l
        WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = '' AND l.owner = v_owner
        ORDER BY l.ready_at, l.id LIMIT 1;
      SELECT l.ready_at INTO v_pinned_at FROM lanes l
        WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host AND l.owner = v_owner
        ORDER BY l.ready_at, l.id LIMIT 1;
      v_got := 0;
      v_pinned_first := v_pinned_at < v_free_at;
      IF v_pinned_first THEN
        FOR v_id IN SELECT l.id FROM lanes l
          WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host AND l.owner = v_owner
          ORDER BY l.ready_at, l.id LIMIT v_want FOR UPDATE SKIP LOCKED
        LOOP
          v_got := v_got + 1;
          kind := 'take'; id := v_id; fence := nextval('fences'); RETURN NEXT;
        END LOOP;
      END IF;
      IF v_free_at IS NOT NULL AND v_got < v_want THEN
        FOR v_id IN SELECT l.id FROM lanes l
          WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = '' AND l.owner = v_owner
          ORDER BY l.ready_at, l.id LIMIT v_want - v_got FOR UPDATE SKIP LOCKED
        LOOP
          v_got := v_got + 1;
          kind := 'take'; id := v_id; fence := nextval('fences'); RETURN NEXT;
        END LOOP;
      END IF;
      IF v_pinned_at IS NOT NULL AND v_pinned_first IS NOT TRUE AND v_got < v_want THEN
        FOR v_id IN SELECT l.id FROM lanes l
          WHERE l.state = 'ready' AND l.held = 0 AND l.head_type = v_type AND l.host = v_node.host AND l.owner = v_owner
          ORDER BY l.ready_at, l.id LIMIT v_want - v_got FOR UPDATE SKIP LOCKED
        LOOP
          v_got := v_got + 1;
          kind := 'take'; id := v_id; fence := nextval('fences'); RETURN NEXT;
        END LOOP;
      END IF;
      v_taken[v_order[v_rank]] := v_got;
      v_slots := v_slots - v_got;
      IF p_owner_cap IS NOT NULL THEN v_claimed := v_claimed || array_fill(v_owner, ARRAY[v_got::int]); END IF;
      v_left := v_left - v_got;
    END LOOP;

    -- The next turn starts behind the last owner seen, but never skips one that has nothing executing.
    v_stop := cardinality(v_owners);
    FOR v_rank IN 1 .. cardinality(v_owners) LOOP
      IF v_executing[v_rank] = 0 AND v_taken[v_rank] = 0 THEN
        v_stop := v_rank - 1;
        EXIT;
      END IF;
    END LOOP;
    IF v_stop >= 1 THEN
      INSERT INTO claim_cursors AS c (type, owner) VALUES (v_type, v_owners[v_stop])
        ON CONFLICT (type) DO UPDATE SET owner = excluded.owner WHERE c.owner <> excluded.owner;
    END IF;
  END LOOP;
END $$;
`;

export const claimFunction: Migration = { id: 2, name: 'claim', sqlite: '', postgres };
