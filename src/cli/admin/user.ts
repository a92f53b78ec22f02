import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { Role, type User, UserName } from '../../contract/access.ts';
import { type CommandGroup, clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { collected } from '../connection/pages.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { type Listing, printList } from '../output/listing.ts';
import { note, printJson, printLine } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';
import { plainLine } from '../output/terminal-filter.ts';
import { findUser, usersOf } from './find-user.ts';

const role = {
  value: '<role>',
  schema: Role,
  expected: Role.options.join(', '),
  help: `${Role.options.join(', ')} (default: operator)`,
};
const USER_NAME = '1 to 64 letters, digits and . _ @ -, beginning with a letter or digit';

const ls = clientCommand({
  summary: 'list users',
  usage: '[flags]',
  about: ['Sorted by name. When piped, prints tab-separated lines with full ids and times.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    takeWords(words);
    const users = await withServer(flags, (client) => collected(usersOf(client)));
    printList(users, flags.json, listing);
    return EXIT.ok;
  },
});

const stateOf = ({ disabledAt }: User): string => (disabledAt === null ? '' : 'disabled');

const listing: Listing<User> = {
  columns: [
    { head: 'NAME', text: ({ name }) => name, flexible: true },
    { head: 'ROLE', text: (user) => user.role },
    { head: 'STATE', text: stateOf, style: (_, colours) => colours.red },
    { head: 'ADDED', text: ({ createdAt }) => relativeTime(createdAt, Date.now()) },
    { head: 'ID', text: ({ id }) => id },
  ],
  fields: (user) => [user.id, user.name, user.role, stateOf(user), user.createdAt],
  empty: 'No users.',
};

const add = clientCommand({
  summary: 'add a user',
  usage: '[flags] <name>',
  about: [
    'The user signs in with a link from "baton user link", or uses a token created for them.',
  ],
  flags: { role, ...connectionFlags },
  run: async ({ flags, words }) => {
    const [given = ''] = takeWords(words, 'name');
    const name = UserName.safeParse(given);
    if (!name.success) {
      throw usageError({
        what: `"${given}" is not a valid user name.`,
        why: `a user name is ${USER_NAME}.`,
        todo: 'choose another name.',
      });
    }
    const user = await withServer(flags, (client) =>
      client.createUser({
        body: { name: name.data, ...(flags.role === undefined ? {} : { role: flags.role }) },
      }),
    );
    if (flags.json) printJson(user);
    else {
      printLine(`Added ${user.name} (${user.role}).`);
      note(`"baton user link ${user.name}" creates a link that signs them in.`);
    }
    return EXIT.ok;
  },
});

const set = clientCommand({
  summary: "change a user's role or name",
  usage: '[flags] <name>',
  flags: {
    role: { ...role, help: Role.options.join(', ') },
    name: { value: '<name>', schema: UserName, expected: USER_NAME, help: 'new name of the user' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'name');
    if (flags.role === undefined && flags.name === undefined) {
      throw usageError({
        what: 'There is nothing to change.',
        why: 'neither --role nor --name was given.',
        todo: 'add at least one of them.',
      });
    }
    const body = {
      ...(flags.role === undefined ? {} : { role: flags.role }),
      ...(flags.name === undefined ? {} : { name: flags.name }),
    };
    const user = await withUser(reference, flags, (client, { id }) =>
      client.updateUser({ params: { id }, body }),
    );
    if (flags.json) printJson(user);
    else printLine(`${user.name} is now ${user.role === 'viewer' ? 'a' : 'an'} ${user.role}.`);
    return EXIT.ok;
  },
});

const locking = (disabled: boolean, summary: string, about: string, verb: string) =>
  clientCommand({
    summary,
    usage: '[flags] <name>',
    about: [about],
    flags: connectionFlags,
    run: async ({ flags, words }) => {
      const [reference = ''] = takeWords(words, 'name');
      const user = await withUser(reference, flags, (client, { id }) =>
        client.updateUser({ params: { id }, body: { disabled } }),
      );
      if (flags.json) printJson(user);
      else printLine(`${verb} ${user.name}.`);
      return EXIT.ok;
    },
  });

const link = clientCommand({
  summary: 'create a sign-in link for a user; it works once and expires after one day',
  usage: '[flags] <name>',
  about: [
    'Only the link goes to stdout. The first person to open it is signed in as that user, so send it privately.',
  ],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'name');
    const made = await withUser(reference, flags, async (client, { id, name }) => ({
      name,
      link: await client.createSignInLink({ params: { id } }),
    }));
    if (flags.json) printJson(made.link);
    else {
      printLine(plainLine(made.link.url));
      note(`It signs one browser in as ${made.name} and expires ${inTime(made.link.expiresAt)}.`);
    }
    return EXIT.ok;
  },
});

const signOut = clientCommand({
  summary: 'sign a user out of all browsers',
  usage: '[flags] <name>',
  about: [
    'Their tokens stay valid; "baton token revoke" revokes one, "baton user lock" disables all of them.',
  ],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'name');
    const user = await withUser(reference, flags, async (client, match) => {
      await client.signOutUser({ params: { id: match.id } });
      return match;
    });
    if (flags.json) printJson(user);
    else printLine(`Signed ${user.name} out of all browsers.`);
    return EXIT.ok;
  },
});

function withUser<T>(
  reference: string,
  flags: Parameters<typeof withServer>[0],
  change: (client: Client, user: User) => Promise<T>,
): Promise<T> {
  return withServer(flags, async (client) => change(client, await findUser(client, reference)));
}

const inTime = (time: string): string => relativeTime(time, Date.now());

export const user: CommandGroup = {
  summary: 'add and manage users (administrators)',
  about: [
    'A viewer can read their own and shared sessions. An operator can also run agents in them.',
    'An admin can do everything. "baton audit" shows who changed what.',
  ],
  commands: {
    ls,
    add,
    set,
    lock: locking(
      true,
      'disable a user along with their sign-ins and tokens',
      'Nothing is deleted. Their queued messages are not started, but agents that are already working continue.',
      'Disabled',
    ),
    unlock: locking(
      false,
      'enable a disabled user again',
      'Their tokens work again, unless expired or revoked.',
      'Enabled',
    ),
    link,
    'sign-out': signOut,
  },
};
