import { z } from 'zod';
import { RunId } from '../ids.ts';
import { SessionId } from '../session.ts';
import { SessionEvent, SessionHint } from '../session-event.ts';
import { endpoint, flagIn, wholeIn } from './endpoint.ts';

const group = 'Streams';

/** `Last-Event-ID` counts before `after`. Without `follow=false` the answer is a stream. */
export const StreamQuery = z.strictObject({
  after: wholeIn(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The seq of the last event that is known. `Last-Event-ID` counts before it.'),
  limit: wholeIn(1, 1000).optional().describe('With `follow=false`: how many at most.'),
  follow: flagIn.optional().describe('`false` gives a page of what is stored instead of a stream.'),
});

export const EventPage = z.object({
  items: z.array(SessionEvent),
  /** The seq to go on after; null at the end of what is stored. */
  nextCursor: z.int().nullable(),
});

export const streamEndpoints = {
  sessionEvents: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/events',
    summary: 'The log of a session: what is stored, then what comes',
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
    summary: 'The events of a run, until its `done`',
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
    summary: 'Which sessions changed; hints only, nothing is repeated',
    group,
    answer: SessionHint,
    format: 'events',
    item: SessionHint,
    errors: ['too_many_streams'],
  }),
};
