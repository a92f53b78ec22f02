import type { SessionRecord } from '../../../sessions/session-record.ts';
import { type Op, query } from '../../statement.ts';

type Worded = Pick<SessionRecord, 'id' | 'tags' | 'labels'>;

/** The tags and labels by which sessions can be searched. */
export function* putWords({ id, tags, labels }: Worded): Op<void> {
  const insert = `INSERT INTO session_words (session_id, kind, word) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
  for (const tag of tags) yield* query(insert, [id, 'tag', tag]);
  for (const label of labels) yield* query(insert, [id, 'label', label]);
}

export function* replaceWords(session: Worded): Op<void> {
  yield* query('DELETE FROM session_words WHERE session_id = $1', [session.id]);
  yield* putWords(session);
}
