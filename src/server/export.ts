import { Readable } from 'node:stream';
import type { Authorised } from '../access/principal.ts';
import type { LogEvent } from '../contract/event.ts';
import { toSessionEvent } from '../contract/session-event.ts';
import { PageSize } from '../queue/follow/page-size.ts';
import { giveWay } from '../queue/give-way.ts';
import type { LogService, LogTarget } from '../sessions/logs/log-service.ts';
import type { RunService } from '../sessions/runs/run-service.ts';
import type { SessionService } from '../sessions/session-service.ts';

interface Services {
  readonly logs: LogService;
  readonly runs: RunService;
  readonly sessions: SessionService;
}

/** The maximum number of runs read at a time. */
const PAGE = 100;
/** Roughly how much is held in memory while the reader is not reading. */
const HELD_BYTES = 512 * 1024;

/**
 * A session as NDJSON: `{"session"}`, then a line `{"run"}` for each run and one `{"event"}` for
 * each event that exists at the start. The next part is read only after the reader has taken the
 * previous one. If the session does not exist or the reader may not see it, the request is refused
 * before the first line. If the reader loses access later, the export stops early.
 */
export async function exportLines(
  services: Services,
  by: Authorised<'read'>,
  id: string,
): Promise<Readable> {
  const session = await services.sessions.get(by, id);
  const log = await services.logs.ofSession(by, id);
  return Readable.from(pages(), { objectMode: false, highWaterMark: 64 * 1024 });

  async function* pages(): AsyncGenerator<string> {
    yield line({ session });
    yield* runLines(services.runs, by, id);
    yield* eventLines(services.logs, by, log);
  }
}

async function* runLines(runs: RunService, by: Authorised<'read'>, sessionId: string) {
  const pages = new PageSize(() => HELD_BYTES);
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE, pages.limit);
    const page = await runs.list(by, { sessionId, limit, cursor });
    const lines = page.items.map((run) => line({ run }));
    yield* lines;
    await giveWay(by.userId);
    pages.saw(lines.join('').length, lines.length === limit);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function* eventLines(logs: LogService, by: Authorised<'read'>, log: LogTarget) {
  const pages = new PageSize(() => HELD_BYTES);
  let after = 0;
  while (after < log.lastSeq) {
    await logs.ofSession(by, log.sessionId);
    const { limit } = pages;
    const page = linesOf(await logs.events(log, after, limit), log.lastSeq);
    // The last events may have been removed in the meantime (E6).
    if (page.last === null) return;
    pages.saw(page.bytes, page.lines.length === limit);
    after = page.last;
    yield* page.lines;
    await giveWay(by.userId);
  }
}

/**
 * The first events, until they exceed `HELD_BYTES`: a page whose limit suits small events may
 * contain large events.
 */
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
