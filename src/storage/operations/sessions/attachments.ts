import type { StoredAttachment } from '../../../sessions/session-store.ts';
import { type Op, query } from '../../statement.ts';

export function* putAttachments(runId: string, files: readonly StoredAttachment[]): Op<void> {
  for (const [n, { name, mediaType, sealed }] of files.entries()) {
    yield* query(
      'INSERT INTO attachments (run_id, n, name, media_type, sealed) VALUES ($1, $2, $3, $4, $5)',
      [runId, n, name, mediaType, sealed],
    );
  }
}

export function* copyAttachments(from: string, to: string): Op<void> {
  yield* query(
    `INSERT INTO attachments (run_id, n, name, media_type, sealed)
     SELECT $2, n, name, media_type, sealed FROM attachments WHERE run_id = $1`,
    [from, to],
  );
}

export function* readAttachments(runId: string): Op<StoredAttachment[]> {
  const rows = yield* query<{ name: string; media_type: string; sealed: string }>(
    'SELECT name, media_type, sealed FROM attachments WHERE run_id = $1 ORDER BY n',
    [runId],
  );
  return rows.map(({ name, media_type: mediaType, sealed }) => ({ name, mediaType, sealed }));
}
