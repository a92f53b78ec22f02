import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
  credentialsPath,
  fromEnvironment,
  isMissing,
  readCredentials,
  SERVER_URL_EXPECTED,
  ServerUrl,
  Token,
} from '../../config/credentials.ts';
import { settings } from '../../config/settings.ts';
import { UserError, usageError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';

/** A server, and the token to use with it. */
export interface Connection {
  readonly url: string;
  readonly token: string;
  /** Where the address comes from, for error messages. */
  readonly source: string;
}

/** The flags of every command that talks to a server. */
export const connectionFlags = {
  url: {
    value: '<url>',
    schema: ServerUrl,
    expected: SERVER_URL_EXPECTED,
    help: 'server URL (BATON_URL); the token is taken from BATON_TOKEN',
  },
  'data-dir': {
    value: '<path>',
    schema: settings.dataDir.schema,
    expected: settings.dataDir.expected,
    help: 'use the server that runs with this data directory (BATON_DATA_DIR)',
  },
  json: { help: 'output JSON' },
} as const;

interface Named {
  readonly url?: string | undefined;
  readonly dataDir?: string | undefined;
}

/**
 * Chooses the server in this order: the one named by a flag or variable, the stored login, the
 * server running on the data directory. A directory named by a flag takes precedence over the
 * login.
 */
export function findConnection(named: Named, env: NodeJS.ProcessEnv): Connection {
  const variable = fromEnvironment(env, 'BATON_URL', ServerUrl, SERVER_URL_EXPECTED);
  const token = fromEnvironment(env, 'BATON_TOKEN', Token, 'a token, without spaces');
  const url = named.url ?? (named.dataDir === undefined ? variable : undefined);
  if (url !== undefined) {
    const source = named.url === undefined ? 'BATON_URL' : '--url';
    return { url, token: token ?? tokenOf(url, named, env), source };
  }
  const stored = named.dataDir === undefined ? readCredentials(credentialsPath(env)) : undefined;
  if (stored !== undefined) {
    return { url: stored.url, token: token ?? stored.token, source: 'baton login' };
  }
  const directory = dataDirectory(named, env);
  const address = readAddress(directory);
  if (address === undefined) throw notRunning(directory);
  const own = token ?? readToken(directory, env);
  if (own === undefined) throw noToken(address);
  return { url: address, token: own, source: join(directory, 'address') };
}

/**
 * Finds a token for a URL that was given without one; it must be known to belong to that server.
 */
function tokenOf(url: string, named: Named, env: NodeJS.ProcessEnv): string {
  const stored = readCredentials(credentialsPath(env));
  if (stored?.url === url) return stored.token;
  const directory = dataDirectory(named, env);
  const token = readAddress(directory) === url ? readToken(directory, env) : undefined;
  if (token === undefined) throw noToken(url);
  return token;
}

export function dataDirectory(named: Named, env: NodeJS.ProcessEnv): string {
  const { schema, expected } = settings.dataDir;
  return (
    named.dataDir ??
    fromEnvironment(env, 'BATON_DATA_DIR', schema, expected) ??
    resolve(homedir(), '.baton')
  );
}

/**
 * A server writes this file with its pid when it is ready, and removes it when it stops. A server
 * that is killed leaves the file behind, and the token must not be sent to another program that now
 * listens there.
 */
export function readAddress(directory: string): string | undefined {
  const [url, pid] = read(join(directory, 'address'))?.split('\n') ?? [];
  const address = ServerUrl.safeParse(url);
  return address.success && isOurs(Number(pid)) ? address.data : undefined;
}

/** Whether the process is alive and belongs to the same user. */
function isOurs(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readToken(directory: string, env: NodeJS.ProcessEnv): string | undefined {
  // As on the server, the variable overrides the file.
  const given = z.string().min(1).safeParse(env['BATON_ADMIN_TOKEN']);
  const token = Token.safeParse(given.success ? given.data : read(join(directory, 'admin-token')));
  return token.success ? token.data : undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new UserError(
      {
        what: `${path} cannot be read.`,
        why: `${(error as Error).message}.`,
        todo: 'run this as the user who started the server, or use "baton login".',
      },
      { exitCode: EXIT.refused, cause: error },
    );
  }
}

function notRunning(directory: string): UserError {
  return new UserError(
    {
      what: 'No Baton server is running here.',
      why: `there is no stored login, and no running server uses ${directory}.`,
      todo: 'start one with "npm start" or "baton up", or choose one with --url or "baton login".',
    },
    { exitCode: EXIT.unreachable },
  );
}

function noToken(url: string): UserError {
  return usageError({
    what: `There is no token for ${url}.`,
    why: 'BATON_TOKEN is not set, and there is no stored login for this server.',
    todo: 'set BATON_TOKEN, or run "baton login --url <url>".',
  });
}
