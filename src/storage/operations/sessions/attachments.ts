import type { StoredAttachment } from '../../../sessions/session-store.ts';
import { type Op, query, queryOne } from '../../statement.ts';

export function* putAttachments(runId: string, files: readonly StoredAttachment[]): Op<void> {
  for (const [n, { name, mediaType, sealed }] of files.entries()) {
    yield* query(
      'INSERT INTO attachments (run_id, n, name, media_type, sealed) VALUES ($1, $2, $3, $4, $5)',
      [runId, n, name, mediaType, sealed],
    );
  }
}

/** Reading more of them would keep the node busy. */
const RETRIES_MAX = 1000;

/** The run's files. A retry has those of the run that it retries, because they may be large. */
export function* readAttachments(runId: string): Op<StoredAttachment[]> {
  let id: string | null = runId;
  for (let retries = 0; id !== null && retries <= RETRIES_MAX; retries++) {
    const rows = yield* query<{ name: string; media_type: string; sealed: string }>(
      'SELECT name, media_type, sealed FROM attachments WHERE run_id = $1 ORDER BY n',
      [id],
    );
    if (rows.length > 0) {
      return rows.map(({ name, media_type: mediaType, sealed }) => ({ name, mediaType, sealed }));
    }
    const run: { retry_of: string | null } | null = yield* queryOne(
      'SELECT retry_of FROM runs WHERE id = $1',
      [id],
    );
    id = run?.retry_of ?? null;
  }
  return [];
}
