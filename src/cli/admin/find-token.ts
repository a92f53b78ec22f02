import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import type { Token } from '../../contract/access.ts';
import { pagesOf } from '../connection/pages.ts';
import { findUser } from './find-user.ts';

const PREFIX_MIN = 6;

/** Tokens of a user, newest first; your own unless told. */
export async function* tokensOf(client: Client, user: string | undefined): AsyncGenerator<Token> {
  const whose = user === undefined ? {} : { userId: (await findUser(client, user)).id };
  yield* pagesOf((page) => client.listTokens({ query: { ...whose, ...page } }));
}

/** The id that begins so, if it is one. */
export async function findToken(
  client: Client,
  beginning: string,
  user: string | undefined,
): Promise<string> {
  const wanted = beginning.toLowerCase();
  const found: string[] = [];
  if (wanted.length >= PREFIX_MIN) {
    for await (const { id } of tokensOf(client, user)) if (id.startsWith(wanted)) found.push(id);
  }
  const [only, other] = found;
  if (only === undefined) throw unknownToken(beginning);
  if (other !== undefined) {
    throw usageError({
      what: `"${beginning}" is not one token.`,
      why: `${found.length} ids begin so, such as ${only} and ${other}.`,
      todo: 'write more of the id.',
    });
  }
  return only;
}

export function unknownToken(reference: string): Error {
  return usageError({
    what: `There is no token "${reference}".`,
    why: 'none of yours has this id, or one that begins so (with at least 6 characters).',
    todo: 'see "baton token ls"; those of others need --user or the whole id.',
  });
}
