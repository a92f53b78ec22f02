import { z } from 'zod';
import { UserId } from '../access.ts';
import { ArtefactName } from '../artefact.ts';
import { ATTACHMENTS_BODY_BYTES, SESSION_NAME_MAX } from '../limits.ts';
import { MessageReceipt, MessageRequest } from '../message.ts';
import { RunState } from '../run.ts';
import { Cost, RunView } from '../run-view.ts';
import {
  CreateSession,
  ForkSession,
  Label,
  MoveSession,
  Session,
  type SessionAction,
  SessionId,
  SessionOrder,
  SessionStatus,
  Tag,
  UpdateSession,
} from '../session.ts';
import { SessionEvent } from '../session-event.ts';
import { linkQuery } from '../ticket.ts';
import { SyncStatus, WorkspaceView } from '../workspace.ts';
import { endpoint, flagIn, page, pageQuery } from './endpoint.ts';

const group = 'Sessions';
const params = z.strictObject({ id: SessionId });
const listed = { group, paged: true, answer: z.array(Session) } as const;
const NamePart = z
  .string()
  // The length is checked first, because normalizing takes quadratic time.
  .max(8 * SESSION_NAME_MAX, { abort: true })
  .normalize('NFC')
  .min(1)
  .max(2 * SESSION_NAME_MAX);

/** One line of an export. */
export const ExportLine = z.union([
  z.object({ session: Session }),
  z.object({ run: RunView }),
  z.object({ event: SessionEvent }),
]);
export type ExportLine = z.infer<typeof ExportLine>;

const action = (name: SessionAction, summary: string) =>
  endpoint({
    method: 'POST',
    path: `/api/v1/sessions/{id}/${name}`,
    summary,
    group,
    params,
    answer: Session,
    errors: ['not_found', 'session_state'],
  });

export const sessionEndpoints = {
  listSessions: endpoint({
    ...listed,
    method: 'GET',
    path: '/api/v1/sessions',
    summary: 'Sessions, newest first or most recently active first',
    query: z.strictObject({
      ...pageQuery,
      order: SessionOrder.optional().describe(
        '`created` (default): newest first; pages never skip or repeat a session. `activity`: most recently active first. A session that becomes active while you page moves to the front: none is repeated, but one you have not reached yet is then missing from the later pages.',
      ),
      ownerId: UserId.optional().describe('Only sessions that this user owns.'),
      status: SessionStatus.optional(),
      tag: Tag.optional(),
      label: Label.optional(),
      name: NamePart.optional().describe('Part of the name.'),
      archived: flagIn
        .optional()
        .describe('`true` lists only archived sessions, `false` (default) only the others.'),
    }),
  }),
  createSession: endpoint({
    method: 'POST',
    path: '/api/v1/sessions',
    summary: 'Create a session',
    group,
    body: CreateSession,
    example: { name: 'fix-login', tags: ['web'], agent: { kind: 'shell' } },
    status: 201,
    answer: Session,
    errors: ['name_taken', 'not_available'],
  }),
  listByStatus: endpoint({
    ...listed,
    method: 'GET',
    path: '/api/v1/sessions/status/{status}',
    summary: 'Sessions with a given status',
    params: z.strictObject({ status: SessionStatus }),
    query: z.strictObject(pageQuery),
  }),
  searchSessions: endpoint({
    ...listed,
    method: 'GET',
    path: '/api/v1/sessions/search',
    summary: 'Search sessions by part of their name',
    query: z.strictObject({ ...pageQuery, name: NamePart.describe('Part of the name.') }),
  }),
  listByTag: endpoint({
    ...listed,
    method: 'GET',
    path: '/api/v1/sessions/tag/{tag}',
    summary: 'Sessions with a given tag',
    params: z.strictObject({ tag: Tag }),
    query: z.strictObject(pageQuery),
  }),
  getSession: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}',
    summary: 'One session',
    group,
    params,
    answer: Session,
    errors: ['not_found'],
  }),
  updateSession: endpoint({
    method: 'PUT',
    path: '/api/v1/sessions/{id}',
    summary: 'Change the name, description, tags, labels, idle timer or budget of a session',
    group,
    params,
    body: UpdateSession,
    example: { description: 'Sign-in fails on Safari', tags: ['web', 'urgent'] },
    answer: Session,
    errors: ['not_found', 'name_taken'],
  }),
  deleteSession: endpoint({
    method: 'DELETE',
    path: '/api/v1/sessions/{id}',
    summary: 'Delete a session with its runs and log, or archive it',
    group,
    level: 'own',
    params,
    query: z.strictObject({
      archive: flagIn.optional().describe('`true` archives it instead; nothing is lost.'),
    }),
    errors: ['not_found', 'session_protected', 'session_busy'],
  }),
  complete: action('complete', 'Mark the work as done'),
  terminate: action('terminate', 'Cancel the runs and release the resources'),
  reopen: action('reopen', 'Reopen an ended session'),
  archive: action('archive', 'Archive a session; nothing is lost'),
  retry: action('retry', 'Try to prepare the workspace again after an error'),
  hold: action('hold', 'Start no more runs until resumed'),
  resume: action('resume', 'Continue with the queued runs'),
  fork: endpoint({
    method: 'POST',
    path: '/api/v1/sessions/{id}/fork',
    summary: 'Create a session that continues this conversation',
    group,
    level: 'operate',
    params,
    body: ForkSession,
    example: { name: 'fix-login-again' },
    status: 201,
    answer: Session,
    errors: ['not_found', 'name_taken'],
  }),
  moveSession: endpoint({
    method: 'POST',
    path: '/api/v1/sessions/{id}/move',
    summary: 'Move a session to another host that has its workspace',
    group,
    needs: 'admin',
    level: 'own',
    params,
    body: MoveSession,
    example: { host: 'build-2' },
    answer: Session,
    errors: [
      'not_found',
      'session_busy',
      'workspace_unreachable',
      'host_away',
      'everything_stopped',
    ],
  }),
  getCost: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/cost',
    summary: 'The cost of a session',
    group,
    params,
    answer: Cost,
    errors: ['not_found'],
  }),
  listWorkspaces: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/workspaces',
    summary: 'The workspaces of a session',
    group,
    params,
    answer: z.array(WorkspaceView),
    errors: ['not_found'],
  }),
  getArtefact: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/artefacts/{name}',
    summary: 'The full text of a tool result that is truncated in its event',
    group,
    params: params.extend({ name: ArtefactName }),
    query: linkQuery,
    hostBound: true,
    download: true,
    answer: z.string(),
    format: 'text',
    errors: ['not_found', 'too_many_streams', 'host_away'],
  }),
  syncStatus: endpoint({
    method: 'POST',
    path: '/api/v1/sessions/{id}/sync-status',
    summary: 'Check the workspace now, create it if it is missing, and return its state',
    group,
    params,
    answer: SyncStatus,
    errors: ['not_found'],
  }),
  exportSession: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/export',
    summary: 'Export the session, its runs and its whole log, one JSON object per line',
    group,
    params,
    query: linkQuery,
    download: true,
    answer: z.string(),
    format: 'ndjson',
    item: ExportLine,
    errors: ['not_found', 'too_many_streams'],
  }),
  sendMessage: endpoint({
    method: 'POST',
    path: '/api/v1/sessions/{id}/messages',
    summary: 'Queue a message, which creates a run',
    group: 'Messages and runs',
    params,
    body: MessageRequest,
    example: { message: 'git status', onBusy: 'enqueue' },
    bodyMax: ATTACHMENTS_BODY_BYTES,
    status: 202,
    answer: MessageReceipt,
    idempotent: true,
    errors: [
      'not_found',
      'session_ended',
      'session_busy',
      'cannot_steer',
      'queue_full',
      'idempotency_conflict',
    ],
  }),
  listSessionRuns: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/runs',
    summary: 'Runs of a session, oldest first; queued ones in the order they will start',
    group: 'Messages and runs',
    params,
    query: z.strictObject({ ...pageQuery, state: RunState.optional() }),
    answer: page(RunView),
    errors: ['not_found'],
  }),
};
