import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { RunView } from '../../contract/run-view.ts';
import { type Session, SessionId, SessionName } from '../../contract/session.ts';
import { pagesOf } from '../connection/pages.ts';

/** Anything shorter is treated as a name that happens to be hexadecimal. */
const PREFIX = /^[0-9a-f-]{6,35}$/i;

type Query = NonNullable<Parameters<Client['listSessions']>[0]>['query'];

/** All matching sessions, newest first. */
export const sessionsOf = (client: Client, query: Query): AsyncGenerator<Session> =>
  pagesOf((page) => client.listSessions({ query: { ...query, ...page } }));

/**
 * Finds a session by id, by exact name (your own before other people's), or by a unique prefix of
 * the id.
 */
export async function findSession(client: Client, reference: string): Promise<Session> {
  const session = await resolveSession(client, reference);
  if (session === undefined) throw unknownSession(reference);
  return session;
}

/** A session or, if there is none, the run with this id. */
export async function findSessionOrRun(
  client: Client,
  reference: string,
): Promise<{ session: Session } | { run: RunView }> {
  const session = await resolveSession(client, reference);
  if (session !== undefined) return { session };
  const run = await orUndefined(client.getRun({ params: { id: reference } }));
  if (run === undefined) throw unknownSession(reference);
  return { run };
}

async function resolveSession(client: Client, reference: string): Promise<Session | undefined> {
  if (SessionId.safeParse(reference).success) {
    const session = await orUndefined(
      client.getSession({ params: { id: reference.toLowerCase() } }),
    );
    // A name may look like an id.
    if (session !== undefined) return session;
  }
  const named = await byName(client, reference);
  if (named !== undefined || !PREFIX.test(reference)) return named;
  return byPrefix(client, reference.toLowerCase());
}

/**
 * Your own sessions come first, so that messages do not go to a shared session of the same name.
 */
async function byName(client: Client, reference: string): Promise<Session | undefined> {
  // Normalized in the same way as stored names, however the terminal composes characters.
  const { data: name } = SessionName.safeParse(reference);
  if (name === undefined) return undefined;
  const matches: Session[] = [];
  for (const archived of [false, true]) {
    for await (const session of sessionsOf(client, { name, archived })) {
      if (session.name === name) matches.push(session);
    }
  }
  if (matches.length < 2) return matches[0];
  const { user } = await client.getMe();
  const own = matches.find(({ ownerId }) => ownerId === user.id);
  if (own !== undefined) return own;
  throw usageError({
    what: `"${name}" matches several sessions.`,
    why: `${matches.length} sessions of other users have this name, such as ${matches[0]?.id} and ${matches[1]?.id}.`,
    todo: 'use the id of the one you mean.',
  });
}

async function byPrefix(client: Client, prefix: string): Promise<Session | undefined> {
  const matches: Session[] = [];
  for (const archived of [false, true]) {
    for await (const session of sessionsOf(client, { archived })) {
      if (session.id.startsWith(prefix)) matches.push(session);
      // Ids come in descending order, so no later id can match.
      else if (session.id < prefix) break;
    }
  }
  if (matches.length > 1) {
    throw usageError({
      what: `"${prefix}" matches several sessions.`,
      why: `${matches.length} ids begin with it, such as ${matches[0]?.id} and ${matches[1]?.id}.`,
      todo: 'type more of the id, or use the name of the session.',
    });
  }
  return matches[0];
}

async function orUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isBatonError(error, 'not_found') || isBatonError(error, 'invalid_request'))
      return undefined;
    throw error;
  }
}

function unknownSession(reference: string): Error {
  return usageError({
    what: `There is no session "${reference}".`,
    why: 'no session has this name or id, or an id that begins with it (at least 6 characters).',
    todo: 'run "baton ls --all" to list all sessions.',
  });
}
