import { createClient } from '../client/client.ts';
import { isBatonError } from '../contract/errors.ts';
import { clientCommand, EXIT } from './command.ts';
import {
  credentialsPath,
  fromEnvironment,
  removeCredentials,
  SERVER_URL_EXPECTED,
  ServerUrl,
  storeCredentials,
  Token,
} from './credentials.ts';
import { printJson, printLine } from './output.ts';
import { explain } from './remote.ts';
import { readSecret } from './secret-input.ts';
import { usageError } from './user-error.ts';
import { takeWords } from './words.ts';

const json = { help: 'exact JSON on stdout, nothing else' };

export const login = clientCommand({
  summary: 'check an address and a token, and keep them for later commands',
  usage: '--url <url>',
  about: [
    'The token is taken from BATON_TOKEN, from a pipe, or asked for; never from the command line,',
    'where other users could see it.',
  ],
  flags: {
    url: {
      value: '<url>',
      schema: ServerUrl,
      expected: SERVER_URL_EXPECTED,
      help: 'the server (BATON_URL)',
    },
    json,
  },
  run: async ({ flags, words }) => {
    takeWords(words);
    const { env } = process;
    const url = flags.url ?? fromEnvironment(env, 'BATON_URL', ServerUrl, SERVER_URL_EXPECTED);
    if (url === undefined) {
      throw usageError({
        what: 'There is no address to log in to.',
        why: 'neither --url nor BATON_URL is given.',
        todo: 'write "baton login --url https://…".',
      });
    }
    const token = Token.safeParse(env['BATON_TOKEN'] || (await readSecret('Token: ')));
    if (!token.success) {
      throw usageError({
        what: 'This is no token.',
        why: 'it is empty, or has spaces or other characters that no token has.',
        todo: 'copy it whole; that of the administrator is in <data-dir>/admin-token.',
      });
    }
    await check({ url, token: token.data });
    const path = credentialsPath(env);
    storeCredentials(path, { url, token: token.data });
    if (flags.json) printJson({ url, path });
    else printLine(`Logged in to ${url}. Kept in ${path}.`);
    if (isOpenToOthers(url)) {
      process.stderr.write(
        'The token travels unencrypted to this address; use https where others can listen.\n',
      );
    }
    return EXIT.ok;
  },
});

export const logout = clientCommand({
  summary: 'forget what "baton login" has kept',
  usage: '',
  flags: { json },
  run: async ({ flags, words }) => {
    takeWords(words);
    const path = credentialsPath(process.env);
    const removed = removeCredentials(path);
    if (flags.json) printJson({ removed });
    else printLine(removed ? `Removed ${path}.` : 'There was no login.');
    return EXIT.ok;
  },
});

/** Asks for something that needs a token. */
async function check(credentials: { url: string; token: string }): Promise<void> {
  try {
    await createClient(credentials).queueCounts();
  } catch (error) {
    throw isBatonError(error) ? explain(error, { ...credentials, source: '--url' }) : error;
  }
}

function isOpenToOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
