import { Readable } from 'node:stream';
import type { AuditQuery, AuditService } from '../access/audit-service.ts';
import type { Authorised } from '../access/principal.ts';
import { PageSize } from '../queue/follow/page-size.ts';
import { giveWay } from '../queue/give-way.ts';

/** The maximum number of lines read at a time. */
const PAGE = 200;

/**
 * The audit log as NDJSON, newest first, without entries added while it is read. Each page is
 * fetched only after the client has taken the previous one; the first is fetched before the
 * response starts.
 */
export async function auditLines(
  audit: AuditService,
  by: Authorised<'admin'>,
  query: AuditQuery,
): Promise<Readable> {
  const pages = new PageSize();
  const first = await audit.list(by, { ...query, limit: pages.limit });
  return Readable.from(lines(), { objectMode: false, highWaterMark: 64 * 1024 });

  async function* lines(): AsyncGenerator<string> {
    let { items, nextCursor } = first;
    for (;;) {
      const texts = items.map((entry) => `${JSON.stringify(entry)}\n`);
      yield* texts;
      await giveWay(by.userId);
      if (nextCursor === null) return;
      pages.saw(texts.join('').length, true);
      ({ items, nextCursor } = await audit.list(by, {
        ...query,
        limit: Math.min(PAGE, pages.limit),
        cursor: nextCursor,
      }));
    }
  }
}
