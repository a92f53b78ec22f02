import type { Client } from '../../src/client/client.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';

/** As many as one answer can have. */
export const PAGE = 1000;

type Source = Pick<Client, 'sessionEvents'>;

/** The events of a session after one up to another, in order. */
export async function readLog(
  source: Source,
  id: string,
  { after, last, signal }: { after: number; last: number; signal?: AbortSignal },
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  // An answer ends earlier if its events are large.
  for (let from: number | null = after; from !== null && from < last; ) {
    const query = { after: from, limit: Math.min(PAGE, last - from) };
    const page: Awaited<ReturnType<Source['sessionEvents']>> = await source.sessionEvents(
      { params: { id }, query },
      signal === undefined ? {} : { signal },
    );
    // Where events were removed, it holds later ones in their place.
    for (const event of page.items) if (event.seq <= last) events.push(event);
    from = page.nextCursor;
  }
  return events;
}
