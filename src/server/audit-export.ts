import { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { AccessService, AuditQuery } from '../access/service.ts';

const PAGE = 200;

/**
 * The audit log as NDJSON, newest first. What comes while it is read is not in it. A page is read
 * when the one before was taken, the first one before anything is answered.
 */
export async function auditLines(
  access: AccessService,
  by: Principal,
  query: AuditQuery,
): Promise<Readable> {
  const first = await access.audit(by, { ...query, limit: PAGE });
  return Readable.from(lines(), { objectMode: false, highWaterMark: 64 * 1024 });

  async function* lines(): AsyncGenerator<string> {
    let { items, nextCursor } = first;
    for (;;) {
      for (const entry of items) yield `${JSON.stringify(entry)}\n`;
      if (nextCursor === null) return;
      ({ items, nextCursor } = await access.audit(by, {
        ...query,
        limit: PAGE,
        cursor: nextCursor,
      }));
    }
  }
}
