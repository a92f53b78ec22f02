import { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import { toSessionEvent } from '../contract/session-event.ts';
import type { LogTarget, SessionService } from '../sessions/service.ts';

const PAGE = 100;

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
  let cursor: string | undefined;
  do {
    const page = await sessions.listRuns(by, { sessionId, limit: PAGE, cursor });
    for (const run of page.items) yield line({ run });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function* eventLines(sessions: SessionService, by: Principal, log: LogTarget) {
  let after = 0;
  while (after < log.lastSeq) {
    await sessions.sessionLog(by, log.sessionId);
    const events = await sessions.events(log, after, PAGE);
    for (const event of events) {
      if (event.seq > log.lastSeq) return;
      yield line({ event: toSessionEvent(event) });
    }
    // The last ones may have been removed meanwhile (E6).
    if (events.length === 0) return;
    after = (events.at(-1) as { seq: number }).seq;
  }
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;
