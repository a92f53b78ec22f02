import { z } from 'zod';
import { MessageText } from '../message.ts';
import { RunStatus } from '../run.ts';
import { CreateSession, Session, SessionId } from '../session.ts';
import { SessionEvent } from '../session-event.ts';
import { RunId } from '../values/ids.ts';
import { Time } from '../values/time.ts';
import { endpoint, pageQuery } from './endpoint.ts';
import { EventPage, StreamQuery } from './streams.ts';

/* The routes of the agentic web (H8): other names for operations of the API. */

const group = 'Compatibility';
const sessionParams = z.strictObject({ id: SessionId });
const runParams = z.strictObject({ id: RunId });

/** The columns of the agentic web's run table, without internal ones. */
export const WebRun = z.object({
  run_id: RunId,
  session_id: z.string(),
  status: RunStatus,
  input_text: z.string().nullable(),
  created_at: Time,
  started_at: Time.nullable(),
  finished_at: Time.nullable(),
  cancel_requested_at: Time.nullable(),
  error_message: z.string().nullable(),
});
export type WebRun = z.infer<typeof WebRun>;

export const webEndpoints = {
  webStartRun: endpoint({
    method: 'POST',
    path: '/api/runs',
    summary: 'Queue a message in a session, which creates a run',
    group,
    body: z.strictObject({ session_id: SessionId, message: MessageText }),
    example: { session_id: '0190a1b2-0000-7000-8000-000000000000', message: 'git status' },
    status: 202,
    answer: z.object({ run_id: RunId, status: z.literal('queued') }),
    idempotent: true,
    errors: ['not_found', 'session_ended', 'queue_full', 'idempotency_conflict'],
  }),
  webGetRun: endpoint({
    method: 'GET',
    path: '/api/runs/{id}',
    summary: 'One run',
    group,
    params: runParams,
    answer: WebRun,
    errors: ['not_found'],
  }),
  webCancelRun: endpoint({
    method: 'POST',
    path: '/api/runs/{id}/cancel',
    summary: 'Cancel a run',
    group,
    params: runParams,
    answer: WebRun,
    errors: ['not_found', 'run_finished'],
  }),
  webRunEvents: endpoint({
    method: 'GET',
    path: '/api/runs/{id}/events',
    summary: 'The events of a run, up to its `done` event',
    group,
    params: runParams,
    query: StreamQuery,
    answer: EventPage,
    format: 'events',
    item: SessionEvent,
    errors: ['not_found', 'cursor_ahead', 'too_many_streams'],
  }),
  webListSessions: endpoint({
    method: 'GET',
    path: '/api/sessions',
    summary: 'Sessions, newest first',
    group,
    paged: true,
    query: z.strictObject(pageQuery),
    answer: z.array(Session),
  }),
  webCreateSession: endpoint({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Create a session',
    group,
    body: CreateSession,
    example: { name: 'fix-login', agent: { kind: 'shell' } },
    status: 201,
    answer: Session,
    errors: ['name_taken', 'not_available'],
  }),
  webGetSession: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}',
    summary: 'One session',
    group,
    params: sessionParams,
    answer: Session,
    errors: ['not_found'],
  }),
  webChat: endpoint({
    method: 'POST',
    path: '/api/chat/{id}',
    summary: 'Queue a message in a session and follow its run until its `done` event',
    group,
    params: sessionParams,
    body: z.strictObject({ message: MessageText }),
    example: { message: 'git status' },
    answer: SessionEvent,
    format: 'events',
    item: SessionEvent,
    idempotent: true,
    errors: [
      'not_found',
      'session_ended',
      'queue_full',
      'idempotency_conflict',
      'too_many_streams',
    ],
  }),
};
