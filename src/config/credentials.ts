import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { TokenId } from '../contract/access.ts';
import { UserError, usageError } from './user-error.ts';

/** The URL of a server, without credentials, query or fragment. */
export const ServerUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => {
    const parsed = URL.parse(url);
    if (parsed === null) return false;
    const { username, password, search, hash } = parsed;
    return `${username}${password}${search}${hash}` === '';
  })
  .transform((url) => url.replace(/\/+$/, ''));
export const SERVER_URL_EXPECTED = 'a URL like https://baton.example, without user or query';

export const Token = z.string().regex(/^[\x21-\x7e]{1,1000}$/);

const Credentials = z.object({
  url: ServerUrl,
  token: Token,
  /** Set if `baton login` created the token; `baton logout` then revokes it. */
  tokenId: TokenId.optional(),
});
export type Credentials = z.output<typeof Credentials>;

/** Where `baton login` stores the address and the token. */
export function credentialsPath(env: NodeJS.ProcessEnv): string {
  const config = env['XDG_CONFIG_HOME'];
  // The XDG specification says to ignore relative paths.
  const base = config?.startsWith('/') ? config : join(homedir(), '.config');
  return join(base, 'baton', 'credentials.json');
}

/** The stored credentials, or undefined if there are none. */
export function readCredentials(path: string): Credentials | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw broken(path, (error as Error).message, error);
  }
  const parsed = Credentials.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw broken(path, 'its content was not written by "baton login"', parsed.error);
}

/** Writes the file atomically. Only its owner can read it. */
export function storeCredentials(path: string, credentials: Credentials): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Returns whether there was a file. */
export function removeCredentials(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Reads one environment variable; an empty one counts as not set. */
export function fromEnvironment<T>(
  env: NodeJS.ProcessEnv,
  name: string,
  schema: z.ZodType<T, string>,
  expected: string,
): T | undefined {
  const value = env[name];
  if (!value) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw usageError({
    what: `${name} has an invalid value.`,
    why: `it must be ${expected}.`,
    todo: `correct ${name}, or unset it.`,
  });
}

export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function broken(path: string, why: string, cause: unknown): UserError {
  return new UserError(
    {
      what: `The stored login cannot be read: ${path}`,
      why: `${why}.`,
      todo: 'run "baton login" again, or remove the file with "baton logout".',
    },
    { exitCode: 2, cause },
  );
}
