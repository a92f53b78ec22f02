import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { RunView } from '../../contract/run-view.ts';
import { type Session, SessionId, SessionName } from '../../contract/session.ts';
import { pagesOf } from '../connection/pages.ts';

/** Shorter ones are names that happen to be hexadecimal. */
const PREFIX = /^[0-9a-f-]{6,35}$/i;

type Query = NonNullable<Parameters<Client['listSessions']>[0]>['query'];

/** All sessions that fit, newest first. */
export const sessionsOf = (client: Client, query: Query): AsyncGenerator<Session> =>
  pagesOf((page) => client.listSessions({ query: { ...query, ...page } }));

/** By id, by exact name (one's own before those of others), or by the beginning of an id if only one session has it. */
export async function findSession(client: Client, reference: string): Promise<Session> {
  const session = await lookForSession(client, reference);
  if (session === undefined) throw unknownSession(reference);
  return session;
}

/** A session, or else a run with this id. */
export async function findSessionOrRun(
  client: Client,
  reference: string,
): Promise<{ session: Session } | { run: RunView }> {
  const session = await lookForSession(client, reference);
  if (session !== undefined) return { session };
  const run = await orUndefined(client.getRun({ params: { id: reference } }));
  if (run === undefined) throw unknownSession(reference);
  return { run };
}

async function lookForSession(client: Client, reference: string): Promise<Session | undefined> {
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

/** One's own first: whoever shares a session of the same name must not get what is meant for it. */
async function byName(client: Client, reference: string): Promise<Session | undefined> {
  // Spelt as names are kept, however the terminal composes its letters.
  const { data: name } = SessionName.safeParse(reference);
  if (name === undefined) return undefined;
  const found: Session[] = [];
  for (const archived of [false, true]) {
    for await (const session of sessionsOf(client, { name, archived })) {
      if (session.name === name) found.push(session);
    }
  }
  if (found.length < 2) return found[0];
  const { user } = await client.getMe();
  const own = found.find(({ ownerId }) => ownerId === user.id);
  if (own !== undefined) return own;
  throw usageError({
    what: `"${name}" is not one session.`,
    why: `${found.length} sessions of others have this name, such as ${found[0]?.id} and ${found[1]?.id}.`,
    todo: 'write the id of the one that is meant.',
  });
}

async function byPrefix(client: Client, prefix: string): Promise<Session | undefined> {
  const found: Session[] = [];
  for (const archived of [false, true]) {
    for await (const session of sessionsOf(client, { archived })) {
      if (session.id.startsWith(prefix)) found.push(session);
      // Ids fall from page to page, so nothing more can begin so.
      else if (session.id < prefix) break;
    }
  }
  if (found.length > 1) {
    throw usageError({
      what: `"${prefix}" is not one session.`,
      why: `${found.length} ids begin so, such as ${found[0]?.id} and ${found[1]?.id}.`,
      todo: 'write more of the id, or the name of the session.',
    });
  }
  return found[0];
}

async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isBatonError(error, 'not_found') || isBatonError(error, 'invalid_request'))
      return undefined;
    throw error;
  }
}

function unknownSession(reference: string): Error {
  return usageError({
    what: `There is no session "${reference}".`,
    why: 'none has this name, this id, or an id that begins so (with at least 6 characters).',
    todo: 'see "baton ls --all" for what there is.',
  });
}
