import { BatonError } from '../../../contract/errors.ts';
import type { UpdateSession } from '../../../contract/session.ts';
import { hold, resume } from '../../../queue/machine/lane-machine.ts';
import { busy, withTimer } from '../../../sessions/session-machine.ts';
import type { Changed, SessionCommand } from '../../../sessions/session-store.ts';
import type { StoredSession } from '../../session-rows.ts';
import { type Op, query } from '../../statement.ts';
import { type Dialect, type Done, done } from '../dialect.ts';
import { applyTrigger, type Triggered } from './apply-trigger.ts';
import { cancelAll } from './cancel-all.ts';
import { mustBeFree } from './create.ts';
import { type LoadedSession, lockSession, readSession } from './load.ts';
import { replaceWords } from './tags-and-labels.ts';

/** Applies a command to a session; an invalid one throws and changes nothing. */
export function* changeSession(
  dialect: Dialect,
  now: number,
  id: string,
  command: SessionCommand,
): Op<Done<Changed>> {
  const loaded = yield* lockSession(dialect, now, id);
  const { change } = loaded;
  const { session, changes } = yield* apply(loaded, command);
  if (session !== loaded.session) yield* dialect.saveSessions([session]);
  if (change.events.length > 0 || change.ready) yield* dialect.save([change]);
  const all = done({ current: (yield* readSession(now, id))!, changes }, [change]);
  const same = session === loaded.session && change.events.length === 0 && !change.ready;
  return same ? { ...all, changed: false } : all;
}

function* apply(loaded: LoadedSession, command: SessionCommand): Op<Triggered> {
  const { change, session, facts } = loaded;
  switch (command.do) {
    case 'ready': {
      if (isElsewhere(loaded, command.host)) return { session, changes: [] };
      const moved = applyTrigger(loaded, 'ready');
      if (moved.changes.length > 0 || session.workspacePath !== command.path) {
        change.log('workspace.status', { status: 'running' }, null);
      }
      // The session's workspace is on that host, so its runs must execute there.
      if (command.host !== undefined && change.lane.pin && change.lane.host === null) {
        change.lane.host = command.host;
        change.ready = true;
      }
      return adding(moved, { workspacePath: command.path, updatedAt: facts.now });
    }
    case 'fail':
      if (isElsewhere(loaded, command.host)) return { session, changes: [] };
      change.log('workspace.status', { status: 'failed', message: command.error }, null);
      return applyTrigger(loaded, 'fail', command.error);
    case 'complete':
      return applyTrigger(loaded, 'complete');
    case 'retry':
      return applyTrigger(loaded, 'retry');
    case 'reopen':
      return adding(applyTrigger(loaded, 'reopen'), { archivedAt: null });
    case 'terminate': {
      const moved = applyTrigger(loaded, command.reason === 'asked' ? 'terminate' : 'orphan');
      yield* cancelAll(change);
      return moved;
    }
    case 'archive':
      if (facts.unfinishedRuns > 0) throw busy(facts);
      if (session.archivedAt !== null) return { session, changes: [] };
      return adding({ session, changes: [] }, { archivedAt: facts.now, updatedAt: facts.now });
    case 'move':
      return yield* changeHost(loaded, command);
    case 'hold':
      hold(change, 'asked');
      return { session, changes: [] };
    case 'resume':
      resume(change);
      return { session, changes: [] };
    case 'update':
      return { session: yield* update(loaded, command.changes), changes: [] };
  }
}

function* changeHost(
  { change, session, facts }: LoadedSession,
  { host, path }: Extract<SessionCommand, { do: 'move' }>,
): Op<Triggered> {
  const { lane } = change;
  if (lane.nodeId !== null) {
    throw new BatonError(
      'session_busy',
      'This session has a run in progress. Wait for it to finish, or cancel it, and then move the session.',
    );
  }
  const from = lane.host;
  const named = yield* query<{ id: string; name: string }>(
    'SELECT id, name FROM hosts WHERE id IN ($1, $2)',
    [from, host],
  );
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const [fromName, toName] = [from === null ? null : (names.get(from) ?? from), names.get(host)];
  change.log('session.moved', { from, to: host, fromName, toName: toName ?? host }, null);
  // The session's files stay there until it is deleted. If it was not pinned, they are in the
  // directory that all hosts share; if it was pinned to no host yet, there are no files.
  if (from !== null || !lane.pin) {
    yield* query(
      'INSERT INTO former_hosts (session_id, host) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [session.id, from ?? ''],
    );
  }
  lane.host = host;
  change.ready = true;
  return {
    session: { ...session, workspacePath: path, updatedAt: facts.now },
    changes: [],
  };
}

/** Two hosts may prepare a session at once; the first one keeps it. */
const isElsewhere = ({ change: { lane } }: LoadedSession, host: string | undefined): boolean =>
  host !== undefined && lane.pin && lane.host !== null && lane.host !== host;

const adding = ({ session, changes }: Triggered, more: Partial<StoredSession>): Triggered => ({
  session: { ...session, ...more },
  changes,
});

function* update(
  { change, session, facts }: LoadedSession,
  given: UpdateSession,
): Op<StoredSession> {
  const { idleTimeoutSeconds, holdOnFailure, ...rest } = given;
  if (given.name !== undefined) yield* mustBeFree(session.ownerId, given.name, session.id);
  if (holdOnFailure !== undefined) {
    yield* query('UPDATE lanes SET hold_on_failure = $2 WHERE id = $1', [
      change.lane.id,
      Number(holdOnFailure),
    ]);
  }
  const named = Object.entries(rest).filter(([, value]) => value !== undefined);
  const changed: StoredSession = {
    ...session,
    ...(Object.fromEntries(named) as Partial<StoredSession>),
    updatedAt: facts.now,
  };
  if (given.tags !== undefined || given.labels !== undefined) yield* replaceWords(changed);
  return idleTimeoutSeconds === undefined ? changed : withTimer(changed, idleTimeoutSeconds);
}
