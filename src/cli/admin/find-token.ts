import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import type { Token } from '../../contract/access.ts';
import { pagesOf } from '../connection/pages.ts';
import { findUser } from './find-user.ts';

const PREFIX_MIN = 6;

/** A user's tokens, newest first; your own by default. */
export async function* tokensOf(client: Client, user: string | undefined): AsyncGenerator<Token> {
  const whose = user === undefined ? {} : { userId: (await findUser(client, user)).id };
  yield* pagesOf((page) => client.listTokens({ query: { ...whose, ...page } }));
}

/** The only token id with this prefix. Throws if there is none, or more than one. */
export async function findToken(
  client: Client,
  prefix: string,
  user: string | undefined,
): Promise<string> {
  const wanted = prefix.toLowerCase();
  const matches: string[] = [];
  if (wanted.length >= PREFIX_MIN) {
    for await (const { id } of tokensOf(client, user)) if (id.startsWith(wanted)) matches.push(id);
  }
  const [only, other] = matches;
  if (only === undefined) throw unknownToken(prefix);
  if (other !== undefined) {
    throw usageError({
      what: `"${prefix}" matches several tokens.`,
      why: `${matches.length} ids begin with it, such as ${only} and ${other}.`,
      todo: 'type more of the id.',
    });
  }
  return only;
}

export function unknownToken(reference: string): Error {
  return usageError({
    what: `There is no token "${reference}".`,
    why: 'none of your tokens has this id, or an id that begins with it (at least 6 characters).',
    todo: 'run "baton token ls"; for another user’s token, add --user or use the full id.',
  });
}
