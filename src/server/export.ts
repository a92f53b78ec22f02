import { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { LogEvent } from '../contract/event.ts';
import { toSessionEvent } from '../contract/session-event.ts';
import { PageSize } from '../queue/follow/page-size.ts';
import type { LogTarget, SessionService } from '../sessions/service.ts';

/** Runs read at a time, at most. */
const PAGE = 100;
/** Of what was read, no more is held than this, about, while nothing is taken. */
const HELD_BYTES = 512 * 1024;

/**
 * A session as NDJSON: `{"session"}`, then a line `{"run"}` for each run and one `{"event"}` for each
 * event there is at the beginning. Nothing is read before the one who asked has taken what went
 * before. What is not there, or not theirs, is refused before the first line, and breaks off if it is
 * no longer theirs.
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
    // The last ones may have been removed meanwhile (E6).
    if (page.last === null) return;
    pages.saw(page.bytes, page.lines.length === limit);
    after = page.last;
    yield* page.lines;
  }
}

/** The first ones, as many as are held: large ones may follow many small ones. */
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
