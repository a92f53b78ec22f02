import { hostname } from 'node:os';
import { createClient } from '../../client/client.ts';
import {
  type Credentials,
  credentialsPath,
  fromEnvironment,
  SERVER_URL_EXPECTED,
  ServerUrl,
  storeCredentials,
  Token,
} from '../../config/credentials.ts';
import { usageError } from '../../config/user-error.ts';
import { TokenName } from '../../contract/access.ts';
import { isBatonError } from '../../contract/errors.ts';
import { clientCommand, EXIT } from '../command.ts';
import { takeWords } from '../input/positionals.ts';
import { readSecret } from '../input/secret-input.ts';
import { note, printJson, printLine } from '../output/output.ts';
import { endLogin, readLogin } from './logout.ts';
import { explain } from './remote.ts';

const DAYS = 90;

export const login = clientCommand({
  summary: 'log in to a server',
  usage: '--url <url>',
  about: [
    'The token comes from BATON_TOKEN, a pipe or a prompt. It cannot be passed as an argument, because other users of this machine could see it.',
    'It is not stored. It is only used to create a new token for this command line.',
    `The new token is valid for ${DAYS} days; "baton logout" revokes it.`,
  ],
  flags: {
    url: {
      value: '<url>',
      schema: ServerUrl,
      expected: SERVER_URL_EXPECTED,
      help: 'server URL (BATON_URL)',
    },
    json: { help: 'output JSON' },
  },
  run: async ({ flags, words }) => {
    takeWords(words);
    const { env } = process;
    const url = flags.url ?? fromEnvironment(env, 'BATON_URL', ServerUrl, SERVER_URL_EXPECTED);
    if (url === undefined) {
      throw usageError({
        what: 'There is no server to log in to.',
        why: 'neither --url nor BATON_URL is set.',
        todo: 'run "baton login --url https://…".',
      });
    }
    const token = Token.safeParse(env['BATON_TOKEN'] || (await readSecret('Token: ')));
    if (!token.success) {
      throw usageError({
        what: 'This is not a token.',
        why: 'it is empty, or contains characters that tokens never contain, such as spaces.',
        todo: 'copy the whole token; the administrator’s is in <data-dir>/admin-token.',
      });
    }
    const { user, made } = await signIn({ url, token: token.data });
    const path = credentialsPath(env);
    await replaceLogin(path, made);
    if (flags.json) printJson({ url, path, user, tokenId: made.tokenId ?? null });
    else printLine(`Logged in to ${url} as ${user}. The login is stored in ${path}.`);
    if (made.tokenId === undefined) {
      note(
        'Your token cannot create other tokens, so the token you entered was stored. "baton logout" will not revoke it.',
      );
    }
    if (isOpenToOthers(url)) {
      note(
        'The token is sent unencrypted to this address; use https on networks you do not trust.',
      );
    }
    return EXIT.ok;
  },
});

/** Creates a token for this login if the given token may create tokens. */
async function signIn(given: {
  url: string;
  token: string;
}): Promise<{ user: string; made: Credentials }> {
  const client = createClient(given);
  try {
    const { user, rights } = await client.getMe();
    if (!rights.includes('account')) return { user: user.name, made: given };
    const { token, id } = await client.createToken({
      body: { name: tokenName(hostname()), scopes: rights, expiresInDays: DAYS, channel: 'cli' },
    });
    return { user: user.name, made: { url: given.url, token, tokenId: id } };
  } catch (error) {
    throw isBatonError(error) ? explain(error, { ...given, source: '--url' }) : error;
  }
}

/** Stores the new login and revokes the old one; if storing fails, revokes the new one. */
async function replaceLogin(path: string, made: Credentials): Promise<void> {
  const before = readLogin(path);
  try {
    storeCredentials(path, made);
  } catch (error) {
    await endLogin(made);
    throw error;
  }
  await endLogin(before);
}

function tokenName(host: string): string {
  const name = TokenName.safeParse(`command line on ${host}`);
  return name.success ? name.data : 'command line';
}

function isOpenToOthers(url: string): boolean {
  const { protocol, hostname: host } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(host);
}
