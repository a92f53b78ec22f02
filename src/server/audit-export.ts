import { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { AccessService, AuditQuery } from '../access/service.ts';
import { PageSize } from '../queue/follow/page-size.ts';

/** The most lines read at a time. */
const PAGE = 200;

/**
 * The audit log as NDJSON, newest first, without entries added while it is read. Each page is read
 * after the reader has taken the previous one; the first is read before the response starts.
 */
export async function auditLines(
  access: AccessService,
  by: Principal,
  query: AuditQuery,
): Promise<Readable> {
  const pages = new PageSize();
  const first = await access.audit(by, { ...query, limit: pages.limit });
  return Readable.from(lines(), { objectMode: false, highWaterMark: 64 * 1024 });

  async function* lines(): AsyncGenerator<string> {
    let { items, nextCursor } = first;
    for (;;) {
      const texts = items.map((entry) => `${JSON.stringify(entry)}\n`);
      yield* texts;
      if (nextCursor === null) return;
      pages.saw(texts.join('').length, true);
      ({ items, nextCursor } = await access.audit(by, {
        ...query,
        limit: Math.min(PAGE, pages.limit),
        cursor: nextCursor,
      }));
    }
  }
}
