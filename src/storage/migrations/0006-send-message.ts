import { POSITION_STEP } from '../../queue/machine/position.ts';
import type { Migration } from './migration.ts';

/**
 * A plain message to a session that is awake, in one round trip instead of ten: the lane is locked,
 * the session's row looked at and touched, and the run admitted to the end of its lane. Gives no row,
 * and has changed nothing, if anything about it is not plain; then the long way decides. Called only by
 * nodes of a version before `admit_message`, which does the same with a key.
 */
const postgres = `
CREATE FUNCTION send_message(
  p_session text, p_owner text, p_run text, p_type text, p_payload text, p_attempts bigint, p_event text,
  p_now bigint, p_most bigint
) RETURNS TABLE (queued bigint, begun text) LANGUAGE plpgsql AS $$
DECLARE
  l lanes%ROWTYPE;
BEGIN
  SELECT * INTO l FROM lanes WHERE id = p_session FOR UPDATE;
  -- Runs that wait for their time outside the lane count as queued, too: left to the long way.
  IF NOT FOUND OR l.queued >= p_most OR EXISTS (
    SELECT 1 FROM runs r WHERE r.lane = p_session AND r.position IS NULL AND r.state = 'queued'
  ) THEN
    RETURN;
  END IF;
  UPDATE sessions SET last_active_at = p_now, updated_at = p_now
  WHERE id = p_session AND status IN ('ACTIVE', 'PENDING') AND archived_at IS NULL
    AND owner = coalesce(p_owner, owner);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE lanes SET queued = l.queued + 1, next_position = l.next_position + ${POSITION_STEP}, next_seq = l.next_seq + 1,
    state = CASE WHEN l.state = 'idle' THEN 'ready' ELSE l.state END,
    head_type = CASE WHEN l.state = 'idle' THEN p_type ELSE l.head_type END,
    ready_at = CASE WHEN l.state = 'idle' THEN p_now ELSE l.ready_at END
  WHERE id = p_session;
  INSERT INTO runs (id, lane, owner, type, payload, state, attempts, max_attempts, crashes, position, kept, created_at,
    updated_at, first_seq)
  VALUES (p_run, p_session, l.owner, p_type, p_payload, 'queued', 0, p_attempts, 0, l.next_position, l.kept, p_now, p_now,
    l.next_seq);
  INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
  VALUES (p_session, l.next_seq, p_run, NULL, 'run.queued', p_event, p_now);
  INSERT INTO run_counts (state, n) VALUES ('queued', 1);
  RETURN QUERY SELECT l.queued + 1, l.run_id::text;
END $$;
`;

export const sendMessageFunction: Migration = {
  id: 6,
  name: 'send-message',
  // SQLite has no round trips to save.
  sqlite: '',
  postgres,
};
