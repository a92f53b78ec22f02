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
import { takeWords } from '../input/positionals.ts';
import { note, printJson, printLine } from '../output/output.ts';

export const logout = clientCommand({
  summary: 'log out, and revoke the token that "baton login" created',
  usage: '',
  flags: { json: { help: 'output JSON' } },
  run: async ({ flags, words }) => {
    takeWords(words);
    const path = credentialsPath(process.env);
    const revoked = await endLogin(readLogin(path));
    const removed = removeCredentials(path);
    if (flags.json) printJson({ removed, revoked });
    else if (!removed) printLine('You were not logged in.');
    else printLine(`Removed ${path}${revoked ? ' and revoked its token' : ''}.`);
    return EXIT.ok;
  },
});

/** Revokes the token of a login if the login created it; returns whether it is now revoked. */
export async function endLogin(stored: Credentials | undefined): Promise<boolean> {
  if (stored?.tokenId === undefined) return false;
  const { url, token, tokenId: id } = stored;
  try {
    await createClient({ url, token }).revokeToken({ params: { id } });
    return true;
  } catch (error) {
    // The token has already been revoked or has expired.
    if (isBatonError(error, 'unauthorized')) return true;
    note(
      `The token stored for ${url} was not revoked (${isBatonError(error) ? error.code : String(error)}). It will expire; to revoke it now: baton token revoke ${id} --url ${url}`,
    );
    return false;
  }
}

/** A damaged login file counts as no login, so that it can be replaced or removed. */
export function readLogin(path: string): Credentials | undefined {
  try {
    return readCredentials(path);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
