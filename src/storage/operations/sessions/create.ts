import { BatonError } from '../../../contract/errors.ts';
import type { SessionWithFacts } from '../../../sessions/session-record.ts';
import type { NewSession } from '../../../sessions/session-store.ts';
import { SESSION_COLUMN_NAMES, type StoredSession, sessionValues } from '../../session-rows.ts';
import { type Op, query } from '../../statement.ts';
import { applyCommand } from '../change.ts';
import { type Dialect, type Done, done } from '../dialect.ts';
import { lockLane } from '../load.ts';
import { readSession } from './load.ts';
import { putWords } from './tags-and-labels.ts';

const INSERT = `INSERT INTO sessions (${SESSION_COLUMN_NAMES.join(', ')})
  VALUES (${SESSION_COLUMN_NAMES.map((_, i) => `$${i + 1}`).join(', ')})`;

export function* createSession(
  dialect: Dialect,
  now: number,
  made: NewSession,
): Op<Done<SessionWithFacts>> {
  const { id, ownerId, name, pin, host, holdOnFailure, forkedFrom } = made;
  yield* mustBeFree(ownerId, name, id);
  yield* applyCommand(dialect, now, {
    do: 'configure',
    lane: id,
    settings: { owner: ownerId, pin, host, holdOnFailure, kept: true },
  });
  const change = yield* lockLane(dialect, now, id);
  yield* query(INSERT, sessionValues(newSession(made, now)));
  yield* putWords(made);
  change.log('session.created', { name, ...(forkedFrom === null ? {} : { forkedFrom }) }, null);
  yield* dialect.save([change]);
  return done((yield* readSession(now, id))!, [change]);
}

function newSession(made: NewSession, now: number): StoredSession {
  const { pin: _, host: __, holdOnFailure: ___, ...rest } = made;
  return {
    ...rest,
    workspacePath: null,
    status: 'PENDING',
    statusReason: 'created',
    error: null,
    readyAt: null,
    idleSince: null,
    destroyAt: null,
    lastActiveAt: now,
    lastOutputAt: null,
    lastResponse: null,
    costUsd: 0,
    conversation: null,
    conversationHead: null,
    archivedAt: null,
    lastConnections: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * If two transactions run at once, the unique key makes one of them fail; that one runs again and
 * is refused here (S9).
 */
export function* mustBeFree(owner: string, name: string, id: string): Op<void> {
  const rows = yield* query('SELECT id FROM sessions WHERE owner = $1 AND name = $2 AND id <> $3', [
    owner,
    name,
    id,
  ]);
  if (rows.length > 0) throw new BatonError('name_taken', undefined, { details: { name } });
}
