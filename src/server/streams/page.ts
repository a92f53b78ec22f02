import type { LogTarget, SessionService } from '../../sessions/service.ts';
import { eventText } from './frames.ts';

/** Read at a time; the largest events make 25 MiB of it. */
const SLICE = 100;
/** A page that has become so large ends there, however many events were asked for. */
const PAGE_BYTES = 1024 * 1024;

/** What is stored after a cursor, as the JSON of an `EventPage`. */
export async function readPage(
  service: Pick<SessionService, 'events'>,
  target: LogTarget,
  after: number,
  limit: number,
): Promise<string> {
  const items: string[] = [];
  let last = after;
  let bytes = 0;
  let ended = false;
  while (!ended && items.length < limit && bytes < PAGE_BYTES) {
    const size = Math.min(SLICE, limit - items.length);
    const events = await service.events(target, last, size);
    ended = events.length < size;
    for (const event of events) {
      if (bytes >= PAGE_BYTES) {
        ended = false;
        break;
      }
      const text = eventText(event);
      bytes += text.length;
      items.push(text.toString());
      last = event.seq;
    }
  }
  const more = !ended && last < target.lastSeq;
  return `{"items":[${items.join(',')}],"nextCursor":${more ? last : 'null'}}`;
}
