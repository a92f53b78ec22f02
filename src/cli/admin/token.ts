import { z } from 'zod';
import { usageError } from '../../config/user-error.ts';
import { Right, type Token, TokenId, TokenName } from '../../contract/access.ts';
import { isBatonError } from '../../contract/errors.ts';
import { type CommandGroup, clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { collected } from '../connection/pages.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { distinctLength, type Listing, printList } from '../output/listing.ts';
import { note, printJson, printLine } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';
import { plainLine } from '../output/terminal-filter.ts';
import { findToken, tokensOf, unknownToken } from './find-token.ts';
import { findUser } from './find-user.ts';

const DAYS_MAX = 3650;
const SCOPES = 'a comma-separated list of read, run, account, admin';

const user = {
  value: '<name>',
  schema: z.string().min(1).max(64),
  expected: 'the name or id of a user',
  help: 'owner of the token (default: you; others for administrators only)',
};

const ls = clientCommand({
  summary: 'list tokens, newest first',
  usage: '[flags]',
  about: ['Tokens are shown only when they are created.'],
  flags: { user, ...connectionFlags },
  run: async ({ flags, words }) => {
    takeWords(words);
    const tokens = await withServer(flags, (client) => collected(tokensOf(client, flags.user)));
    printList(tokens, flags.json, listingOf(tokens));
    return EXIT.ok;
  },
});

function stateOf({ revokedAt, expiresAt }: Token): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

function listingOf(tokens: readonly Token[]): Listing<Token> {
  const idLength = distinctLength(tokens.map(({ id }) => id));
  const ago = (time: string | null, never: string): string =>
    time === null ? never : relativeTime(time, Date.now());
  return {
    columns: [
      { head: 'NAME', text: ({ name }) => name, flexible: true },
      {
        head: 'STATE',
        text: stateOf,
        style: (token, { green, dim }) => (stateOf(token) === 'active' ? green : dim),
      },
      { head: 'SCOPES', text: ({ scopes }) => scopes.join(', ') },
      { head: 'LAST USED', text: ({ lastUsedAt }) => ago(lastUsedAt, 'never') },
      { head: 'EXPIRES', text: ({ expiresAt }) => ago(expiresAt, 'never') },
      { head: 'CREATED', text: ({ createdAt }) => ago(createdAt, '') },
      { head: 'ID', text: ({ id }) => id.slice(0, idLength) },
    ],
    fields: (token) => [
      token.id,
      token.name,
      stateOf(token),
      token.scopes.join(','),
      token.channel,
      token.createdAt,
      token.expiresAt,
      token.lastUsedAt,
    ],
    empty: 'No tokens. "baton token create" creates one.',
  };
}

const create = clientCommand({
  summary: 'create a token',
  usage: '[flags] <name>',
  about: [
    'The token is shown only once. Only the token goes to stdout: TOKEN=$(baton token create ci)',
    'Its scopes cannot exceed your own. By default it expires after 90 days.',
  ],
  flags: {
    scopes: {
      value: '<list>',
      schema: z
        .string()
        .transform((text) => text.split(',').map((each) => each.trim()))
        .pipe(z.array(Right).min(1).max(4)),
      expected: SCOPES,
      help: 'scopes: read, run, account, admin (default: read,run)',
    },
    days: {
      value: '<n>',
      schema: z
        .string()
        .regex(/^\d{1,4}$/)
        .transform(Number)
        .pipe(z.int().min(1).max(DAYS_MAX)),
      expected: `a whole number from 1 to ${DAYS_MAX}`,
      help: 'days until it expires (default: 90)',
    },
    forever: { help: 'create a token that never expires' },
    user: { ...user, help: 'user to create it for (default: you; others for administrators only)' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [given = ''] = takeWords(words, 'name');
    const name = TokenName.safeParse(given);
    if (!name.success) {
      throw usageError({
        what: 'This is not a valid token name.',
        why: `${name.error.issues[0]?.message}.`,
        todo: 'describe in a few words what the token is for.',
      });
    }
    if (flags.forever && flags.days !== undefined) {
      throw usageError({
        what: '--days and --forever cannot be combined.',
        why: 'one sets when the token expires; the other means that it never does.',
        todo: 'leave one of them out.',
      });
    }
    const made = await withServer(flags, async (client) =>
      client.createToken({
        body: {
          name: name.data,
          ...(flags.scopes === undefined ? {} : { scopes: flags.scopes }),
          ...(flags.days === undefined ? {} : { expiresInDays: flags.days }),
          ...(flags.forever ? { expiresInDays: null } : {}),
          ...(flags.user === undefined ? {} : { userId: (await findUser(client, flags.user)).id }),
        },
      }),
    );
    if (flags.json) printJson(made);
    else {
      printLine(plainLine(made.token));
      const expiry =
        made.expiresAt === null ? 'Never expires' : `Expires on ${made.expiresAt.slice(0, 10)}`;
      note(`Scopes: ${made.scopes.join(', ')}. ${expiry}. It will not be shown again.`);
      note(`To revoke it: baton token revoke ${made.id}`);
    }
    return EXIT.ok;
  },
});

const revoke = clientCommand({
  summary: 'revoke a token immediately',
  usage: '[flags] <id>',
  about: ['A unique prefix of the id is enough (at least 6 characters).'],
  flags: { user, ...connectionFlags },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'id');
    const id = await withServer(flags, async (client) => {
      const fullId = TokenId.safeParse(reference);
      const tokenId = fullId.success
        ? fullId.data.toLowerCase()
        : await findToken(client, reference, flags.user);
      await client.revokeToken({ params: { id: tokenId } }).catch((error: unknown) => {
        throw isBatonError(error, 'not_found') ? unknownToken(reference) : error;
      });
      return tokenId;
    });
    if (flags.json) printJson({ id });
    else printLine(`Revoked token ${id}.`);
    return EXIT.ok;
  },
});

export const token: CommandGroup = {
  summary: 'create, list and revoke tokens for programs',
  about: ['Programs send a token as "Authorization: Bearer …"; "baton" takes it from BATON_TOKEN.'],
  commands: { ls, create, revoke },
};
