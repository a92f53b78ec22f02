import { z } from 'zod';
import { SessionId } from '../session.ts';
import { SessionEvent, SessionHint } from '../session-event.ts';
import { RunId } from '../values/ids.ts';
import { endpoint, flagIn, wholeIn } from './endpoint.ts';

const group = 'Streams';

/**
 * `Last-Event-ID` takes precedence over `after`. The response is a stream unless `follow=false`.
 */
export const StreamQuery = z.strictObject({
  after: wholeIn(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The seq of the last event you received. `Last-Event-ID` takes precedence.'),
  limit: wholeIn(1, 1000).optional().describe('With `follow=false`: maximum number of events.'),
  follow: flagIn
    .optional()
    .describe('`false` returns one page of stored events instead of a stream.'),
});

export const EventPage = z.object({
  items: z.array(SessionEvent),
  /** The value of `after` for the next page; null at the end of the stored events. */
  nextCursor: z.int().nullable(),
});

export const streamEndpoints = {
  sessionEvents: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/events',
    summary: 'The log of a session: stored events, then new ones as they happen',
    group,
    params: z.strictObject({ id: SessionId }),
    query: StreamQuery,
    answer: EventPage,
    format: 'events',
    item: SessionEvent,
    errors: ['not_found', 'cursor_ahead', 'too_many_streams'],
  }),
  runEvents: endpoint({
    method: 'GET',
    path: '/api/v1/runs/{id}/events',
    summary: 'The events of a run, up to its `done` event',
    group,
    params: z.strictObject({ id: RunId }),
    query: StreamQuery,
    answer: EventPage,
    format: 'events',
    item: SessionEvent,
    errors: ['not_found', 'cursor_ahead', 'too_many_streams'],
  }),
  hints: endpoint({
    method: 'GET',
    path: '/api/v1/events',
    summary: 'Hints about which sessions changed; missed hints are not repeated',
    group,
    answer: SessionHint,
    format: 'events',
    item: SessionHint,
    errors: ['too_many_streams'],
  }),
};
