import type { LogService, LogTarget } from '../../sessions/logs/log-service.ts';
import { eventText } from './frames.ts';

/** How many events are read at a time: at most 25 MiB, even if all have the maximum size. */
const SLICE = 100;
/** A page ends once it is this large, however many events were requested. */
const PAGE_BYTES = 1024 * 1024;

/** The stored events after a cursor, as the JSON of an `EventPage`. */
export async function readEventPage(
  logs: Pick<LogService, 'events'>,
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
    const events = await logs.events(target, last, size);
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
