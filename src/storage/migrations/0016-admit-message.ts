import { POSITION_STEP } from '../../queue/machine/position.ts';
import type { Migration } from './migration.ts';

/**
 * `sendMessage` (operations/sessions/send.ts) for a message to a session that is awake, in one
 * round trip instead of ten: with or without an idempotency key, masked or not. The function locks
 * the lane first, and each later statement sees everything committed before the lock was granted;
 * so if two messages have the same key, the second sees the first. Returns one row: the admitted
 * run, or the run that already has the key, in which case nothing changes. Returns no row and
 * changes nothing if the message has to be refused or the session's status would change; the
 * operation handles these cases. The key is looked up as in `findByKey`
 * (operations/known-key.ts), and `place` is `positionInLane` (queue/machine/position.ts).
 */
const postgres = `
CREATE FUNCTION admit_message(
  p_session text, p_user text, p_run text, p_type text, p_payload text, p_sealed text, p_attempts bigint,
  p_key text, p_hash text, p_event text, p_now bigint, p_most bigint
) RETURNS TABLE (run text, run_state text, place bigint, known boolean) LANGUAGE plpgsql AS $$
DECLARE
  l lanes%ROWTYPE;
  s record;
  k record;
BEGIN
  SELECT * INTO l FROM lanes WHERE id = p_session FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT status, archived_at INTO s FROM sessions
  WHERE id = p_session AND (p_user IS NULL OR owner = p_user OR EXISTS (
    SELECT 1 FROM shares h WHERE h.session_id = p_session AND h.user_id = p_user AND h.level = 'operate'));
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF p_key IS NOT NULL THEN
    -- A message to an agent at work has the key: a conflict.
    IF EXISTS (SELECT 1 FROM steers t WHERE t.session_id = p_session AND t.idem_key = p_key) THEN
      RETURN;
    END IF;
    SELECT r.id, r.state, r.position, r.body_hash INTO k FROM runs r WHERE r.idem_scope = p_session AND r.idem_key = p_key;
    IF FOUND THEN
      IF k.body_hash IS NOT DISTINCT FROM p_hash THEN
        RETURN QUERY SELECT k.id, k.state, CASE WHEN k.state <> 'queued' THEN 0 ELSE
          CASE WHEN l.run_id IS NULL OR l.run_id = k.id THEN 0 ELSE 1 END + (
            SELECT count(*) FROM runs q WHERE q.lane = p_session AND q.position > l.last_position AND q.state = 'queued'
              AND (k.position IS NULL OR q.position < k.position)) END, true;
      END IF;
      RETURN;
    END IF;
  END IF;
  -- Runs that wait for their time outside the lane count as queued, too.
  IF s.status NOT IN ('ACTIVE', 'PENDING') OR s.archived_at IS NOT NULL OR p_most <= l.queued + (
    SELECT count(*) FROM runs r WHERE r.lane = p_session AND r.position IS NULL AND r.state = 'queued'
  ) THEN
    RETURN;
  END IF;
  UPDATE sessions SET last_active_at = p_now, updated_at = p_now WHERE id = p_session;
  UPDATE lanes SET queued = l.queued + 1, next_position = l.next_position + ${POSITION_STEP}, next_seq = l.next_seq + 1,
    state = CASE WHEN l.state = 'idle' THEN 'ready' ELSE l.state END,
    head_type = CASE WHEN l.state = 'idle' THEN p_type ELSE l.head_type END,
    ready_at = CASE WHEN l.state = 'idle' THEN p_now ELSE l.ready_at END
  WHERE id = p_session;
  INSERT INTO runs (id, lane, owner, type, payload, state, attempts, max_attempts, crashes, position, idem_scope,
    idem_key, body_hash, kept, created_at, updated_at, first_seq)
  VALUES (p_run, p_session, l.owner, p_type, p_payload, 'queued', 0, p_attempts, 0, l.next_position,
    CASE WHEN p_key IS NULL THEN NULL ELSE p_session END, p_key, p_hash, l.kept, p_now, p_now, l.next_seq);
  IF p_sealed IS NOT NULL THEN
    INSERT INTO originals (run_id, sealed) VALUES (p_run, p_sealed);
  END IF;
  INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
  VALUES (p_session, l.next_seq, p_run, NULL, 'run.queued', p_event, p_now);
  INSERT INTO run_counts (state, n) VALUES ('queued', 1);
  RETURN QUERY SELECT p_run, 'queued', l.queued + CASE WHEN l.run_id IS NULL THEN 0 ELSE 1 END, false;
END $$;
`;

export const admitMessageFunction: Migration = {
  id: 16,
  name: 'admit-message',
  // SQLite has no round trips to save.
  sqlite: '',
  postgres,
};
