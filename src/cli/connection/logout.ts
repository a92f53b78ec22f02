import { createClient } from '../../client/client.ts';
import {
  type Credentials,
  credentialsPath,
  readCredentials,
  removeCredentials,
} from '../../config/credentials.ts';
import { UserError } from '../../config/user-error.ts';
import { isBatonError } from '../../contract/errors.ts';
import { clientCommand, EXIT } from '../command.ts';
import { takeWords } from '../input/words.ts';
import { note, printJson, printLine } from '../output/output.ts';

export const logout = clientCommand({
  summary: 'revoke and forget what "baton login" has made',
  usage: '',
  flags: { json: { help: 'exact JSON on stdout, nothing else' } },
  run: async ({ flags, words }) => {
    takeWords(words);
    const path = credentialsPath(process.env);
    const ended = await endLogin(readLogin(path));
    const removed = removeCredentials(path);
    if (flags.json) printJson({ removed, revoked: ended });
    else if (!removed) printLine('There was no login.');
    else printLine(`Removed ${path}${ended ? '; its token is no longer good' : ''}.`);
    return EXIT.ok;
  },
});

/** Revokes the token of a login, if the login made it; tells whether it has ended. */
export async function endLogin(stored: Credentials | undefined): Promise<boolean> {
  if (stored?.tokenId === undefined) return false;
  const { url, token, tokenId: id } = stored;
  try {
    await createClient({ url, token }).revokeToken({ params: { id } });
    return true;
  } catch (error) {
    // It has ended already.
    if (isBatonError(error, 'unauthorized')) return true;
    note(
      `The token of the login at ${url} is not revoked (${isBatonError(error) ? error.code : String(error)}). It ends by itself; to end it now: baton token revoke ${id} --url ${url}`,
    );
    return false;
  }
}

/** One that is damaged is replaced or removed all the same. */
export function readLogin(path: string): Credentials | undefined {
  try {
    return readCredentials(path);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
