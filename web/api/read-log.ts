import type { Client } from '../../src/client/client.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';

/** The maximum number of events in one response. */
export const PAGE = 1000;

type Source = Pick<Client, 'sessionEvents'>;

/** The events of a session in `(after, last]`, in order. */
export async function readLog(
  source: Source,
  id: string,
  { after, last, signal }: { after: number; last: number; signal?: AbortSignal },
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  // A response may end early if its events are large.
  for (let from: number | null = after; from !== null && from < last; ) {
    const query = { after: from, limit: Math.min(PAGE, last - from) };
    const page: Awaited<ReturnType<Source['sessionEvents']>> = await source.sessionEvents(
      { params: { id }, query },
      signal === undefined ? {} : { signal },
    );
    // Where events were purged, the response contains later events instead.
    for (const event of page.items) if (event.seq <= last) events.push(event);
    from = page.nextCursor;
  }
  return events;
}
