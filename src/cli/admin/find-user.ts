import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { type User, UserId } from '../../contract/access.ts';
import { isBatonError } from '../../contract/errors.ts';
import { pagesOf } from '../connection/pages.ts';

/** All users, sorted by name; for administrators only. */
export const usersOf = (client: Client): AsyncGenerator<User> =>
  pagesOf((query) => client.listUsers({ query }));

/** Finds a user by name (ignoring case) or id. */
export async function findUser(client: Client, reference: string): Promise<User> {
  if (UserId.safeParse(reference).success) {
    try {
      return await client.getUser({ params: { id: reference } });
    } catch (error) {
      if (isBatonError(error, 'not_found')) throw unknownUser(reference);
      throw error;
    }
  }
  const wanted = reference.toLowerCase();
  for await (const user of usersOf(client)) if (user.name.toLowerCase() === wanted) return user;
  throw unknownUser(reference);
}

function unknownUser(reference: string): Error {
  return usageError({
    what: `There is no user "${reference}".`,
    why: 'no user has this name or id.',
    todo: 'run "baton user ls" to list the users, or add one with "baton user add".',
  });
}
