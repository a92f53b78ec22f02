import { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { LogEvent } from '../contract/event.ts';
import { toSessionEvent } from '../contract/session-event.ts';
import { PageSize } from '../queue/follow/page-size.ts';
import type { LogTarget, SessionService } from '../sessions/service.ts';

/** The most runs read at a time. */
const PAGE = 100;
/** Roughly how much is held in memory while the reader is not reading. */
const HELD_BYTES = 512 * 1024;

/**
 * A session as NDJSON: `{"session"}`, then a line `{"run"}` for each run and one `{"event"}` for
 * each event that exists at the start. The next part is read only after the reader has taken the
 * previous one. A session that is missing or not the reader's is refused before the first line; if
 * the reader loses access, the export breaks off.
 */
export async function exportLines(
  sessions: SessionService,
  by: Principal,
  id: string,
): Promise<Readable> {
  const session = await sessions.get(by, id);
  const log = await sessions.sessionLog(by, id);
  return Readable.from(pages(), { objectMode: false, highWaterMark: 64 * 1024 });

  async function* pages(): AsyncGenerator<string> {
    yield line({ session });
    yield* runLines(sessions, by, id);
    yield* eventLines(sessions, by, log);
  }
}

async function* runLines(sessions: SessionService, by: Principal, sessionId: string) {
  const pages = new PageSize(() => HELD_BYTES);
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE, pages.limit);
    const page = await sessions.listRuns(by, { sessionId, limit, cursor });
    const lines = page.items.map((run) => line({ run }));
    yield* lines;
    pages.saw(lines.join('').length, lines.length === limit);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function* eventLines(sessions: SessionService, by: Principal, log: LogTarget) {
  const pages = new PageSize(() => HELD_BYTES);
  let after = 0;
  while (after < log.lastSeq) {
    await sessions.sessionLog(by, log.sessionId);
    const { limit } = pages;
    const page = linesOf(await sessions.events(log, after, limit), log.lastSeq);
    // The last events may have been removed in the meantime (E6).
    if (page.last === null) return;
    pages.saw(page.bytes, page.lines.length === limit);
    after = page.last;
    yield* page.lines;
  }
}

/** The first events, up to `HELD_BYTES`, because large events may follow many small ones. */
function linesOf(events: readonly LogEvent[], lastSeq: number) {
  const lines: string[] = [];
  let [bytes, last]: [number, number | null] = [0, null];
  for (const event of events) {
    if (event.seq > lastSeq || bytes > HELD_BYTES) break;
    const text = line({ event: toSessionEvent(event) });
    lines.push(text);
    bytes += text.length;
    last = event.seq;
  }
  return { lines, bytes, last };
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;
