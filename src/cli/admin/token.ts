import { z } from 'zod';
import { usageError } from '../../config/user-error.ts';
import { Right, type Token, TokenId, TokenName } from '../../contract/access.ts';
import { isBatonError } from '../../contract/errors.ts';
import { type CommandGroup, clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { collected } from '../connection/pages.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/words.ts';
import { distinctLength, type Listing, printList } from '../output/listing.ts';
import { note, printJson, printLine } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';
import { plainLine } from '../output/terminal-filter.ts';
import { findToken, tokensOf, unknownToken } from './find-token.ts';
import { findUser } from './find-user.ts';

const DAYS_MAX = 3650;
const SCOPES = 'some of read, run, account, admin, with commas between them';

const user = {
  value: '<name>',
  schema: z.string().min(1).max(64),
  expected: 'the name or id of a user',
  help: 'of this user, for administrators (default: you)',
};

const ls = clientCommand({
  summary: 'list tokens, newest first',
  usage: '[flags]',
  about: ['The tokens themselves are shown only when they are made.'],
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
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'ended' : 'good';
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
        style: (token, { green, dim }) => (stateOf(token) === 'good' ? green : dim),
      },
      { head: 'MAY', text: ({ scopes }) => scopes.join(', ') },
      { head: 'USED', text: ({ lastUsedAt }) => ago(lastUsedAt, 'never') },
      { head: 'ENDS', text: ({ expiresAt }) => ago(expiresAt, 'never') },
      { head: 'MADE', text: ({ createdAt }) => ago(createdAt, '') },
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
    empty: 'No tokens. "baton token create" makes one.',
  };
}

const create = clientCommand({
  summary: 'make a token',
  usage: '[flags] <name>',
  about: [
    'The token alone goes to stdout, this one time: TOKEN=$(baton token create ci)',
    'It may do at most what you may; it ends after 90 days unless told.',
  ],
  flags: {
    scopes: {
      value: '<list>',
      schema: z
        .string()
        .transform((text) => text.split(',').map((each) => each.trim()))
        .pipe(z.array(Right).min(1).max(4)),
      expected: SCOPES,
      help: 'what it may do: read, run, account, admin (default: read,run)',
    },
    days: {
      value: '<n>',
      schema: z
        .string()
        .regex(/^\d{1,4}$/)
        .transform(Number)
        .pipe(z.int().min(1).max(DAYS_MAX)),
      expected: `a whole number from 1 to ${DAYS_MAX}`,
      help: 'how long it is good for (default: 90)',
    },
    forever: { help: 'it never ends by itself' },
    user: { ...user, help: 'for this user, by administrators (default: you)' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [given = ''] = takeWords(words, 'name');
    const name = TokenName.safeParse(given);
    if (!name.success) {
      throw usageError({
        what: 'This cannot be the name of a token.',
        why: `${name.error.issues[0]?.message}.`,
        todo: 'say in a few words what it is for.',
      });
    }
    if (flags.forever && flags.days !== undefined) {
      throw usageError({
        what: '--days and --forever do not go together.',
        why: 'one says when the token ends, the other that it never does.',
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
      const ends =
        made.expiresAt === null ? 'never ends' : `ends on ${made.expiresAt.slice(0, 10)}`;
      note(`It may ${made.scopes.join(', ')} and ${ends}. It is not shown again.`);
      note(`To end it before: baton token revoke ${made.id}`);
    }
    return EXIT.ok;
  },
});

const revoke = clientCommand({
  summary: 'end a token at once',
  usage: '[flags] <id>',
  about: ['By its id, or the beginning of it (at least 6 characters) that only one has.'],
  flags: { user, ...connectionFlags },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'id');
    const id = await withServer(flags, async (client) => {
      const whole = TokenId.safeParse(reference);
      const found = whole.success
        ? whole.data.toLowerCase()
        : await findToken(client, reference, flags.user);
      await client.revokeToken({ params: { id: found } }).catch((error: unknown) => {
        throw isBatonError(error, 'not_found') ? unknownToken(reference) : error;
      });
      return found;
    });
    if (flags.json) printJson({ id });
    else printLine(`Token ${id} is revoked.`);
    return EXIT.ok;
  },
});

export const token: CommandGroup = {
  summary: 'make, list and revoke tokens for programs',
  about: [
    'A program shows its token as "Authorization: Bearer …", or "baton" takes it from BATON_TOKEN.',
  ],
  commands: { ls, create, revoke },
};
