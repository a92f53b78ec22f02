import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { Role, type User, UserName } from '../../contract/access.ts';
import { type CommandGroup, clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { collected } from '../connection/pages.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/words.ts';
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
  about: ['By name. Into a pipe: one line each, separated by tabs, with whole ids and times.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    takeWords(words);
    const users = await withServer(flags, (client) => collected(usersOf(client)));
    printList(users, flags.json, listing);
    return EXIT.ok;
  },
});

const stateOf = ({ disabledAt }: User): string => (disabledAt === null ? '' : 'locked');

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
  about: ['They sign in with a link of "baton user link", or with a token made for them.'],
  flags: { role, ...connectionFlags },
  run: async ({ flags, words }) => {
    const [given = ''] = takeWords(words, 'name');
    const name = UserName.safeParse(given);
    if (!name.success) {
      throw usageError({
        what: `"${given}" cannot be the name of a user.`,
        why: `a name has ${USER_NAME}.`,
        todo: 'choose another.',
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
      note(`"baton user link ${user.name}" makes the link that signs them in.`);
    }
    return EXIT.ok;
  },
});

const set = clientCommand({
  summary: 'change the role or the name of a user',
  usage: '[flags] <name>',
  flags: {
    role: { ...role, help: Role.options.join(', ') },
    name: { value: '<name>', schema: UserName, expected: USER_NAME, help: 'their new name' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'name');
    if (flags.role === undefined && flags.name === undefined) {
      throw usageError({
        what: 'There is nothing to change.',
        why: 'neither --role nor --name is given.',
        todo: 'add one of them; "--help" shows how.',
      });
    }
    const body = {
      ...(flags.role === undefined ? {} : { role: flags.role }),
      ...(flags.name === undefined ? {} : { name: flags.name }),
    };
    const user = await changed(reference, flags, (client, { id }) =>
      client.updateUser({ params: { id }, body }),
    );
    if (flags.json) printJson(user);
    else printLine(`${user.name} is ${user.role === 'viewer' ? 'a' : 'an'} ${user.role}.`);
    return EXIT.ok;
  },
});

const locking = (disabled: boolean, summary: string, about: string, said: string) =>
  clientCommand({
    summary,
    usage: '[flags] <name>',
    about: [about],
    flags: connectionFlags,
    run: async ({ flags, words }) => {
      const [reference = ''] = takeWords(words, 'name');
      const user = await changed(reference, flags, (client, { id }) =>
        client.updateUser({ params: { id }, body: { disabled } }),
      );
      if (flags.json) printJson(user);
      else printLine(`${user.name} ${said}`);
      return EXIT.ok;
    },
  });

const link = clientCommand({
  summary: 'make a link that signs a browser in as a user, once, within a day',
  usage: '[flags] <name>',
  about: ['The link alone goes to stdout. Whoever opens it first is that user: send it privately.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'name');
    const made = await changed(reference, flags, async (client, { id, name }) => ({
      name,
      link: await client.createSignInLink({ params: { id } }),
    }));
    if (flags.json) printJson(made.link);
    else {
      printLine(plainLine(made.link.url));
      note(`It signs a browser in as ${made.name}, once, and ends ${inTime(made.link.expiresAt)}.`);
    }
    return EXIT.ok;
  },
});

const signOut = clientCommand({
  summary: 'sign out all browsers of a user',
  usage: '[flags] <name>',
  about: ['Their tokens stay: "baton token revoke" ends one, "baton user lock" shuts all out.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'name');
    const user = await changed(reference, flags, async (client, found) => {
      await client.signOutUser({ params: { id: found.id } });
      return found;
    });
    if (flags.json) printJson(user);
    else printLine(`All browsers of ${user.name} are signed out.`);
    return EXIT.ok;
  },
});

function changed<T>(
  reference: string,
  flags: Parameters<typeof withServer>[0],
  change: (client: Client, user: User) => Promise<T>,
): Promise<T> {
  return withServer(flags, async (client) => change(client, await findUser(client, reference)));
}

const inTime = (time: string): string => relativeTime(time, Date.now());

export const user: CommandGroup = {
  summary: 'add and look after users (administrators)',
  about: [
    'A viewer reads what is theirs or shared with them, an operator also runs agents there, an admin',
    'may do everything. What they do is in "baton audit".',
  ],
  commands: {
    ls,
    add,
    set,
    lock: locking(
      true,
      'lock a user out: no sign-in and no token of theirs is good',
      'Nothing is lost, and what they have queued runs on.',
      'is locked out.',
    ),
    unlock: locking(
      false,
      'let a locked user in again',
      'Their tokens are good again, as far as they have not ended.',
      'is let in again.',
    ),
    link,
    'sign-out': signOut,
  },
};
