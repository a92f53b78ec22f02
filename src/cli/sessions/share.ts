import { usageError } from '../../config/user-error.ts';
import { type PutShares, type Share, ShareLevel } from '../../contract/access.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { type Listing, printList } from '../output/listing.ts';
import { findSession } from './find-session.ts';

export const share = clientCommand({
  summary: 'show or change who a session is shared with',
  usage: '[flags] <session> [user:view | user:operate …]',
  about: [
    '"view" allows reading the whole session; "operate" also allows sending messages and cancelling runs.',
    'The users you list replace the current ones. Without users, shows who the session is shared with.',
  ],
  flags: { none: { help: 'stop sharing the session' }, ...connectionFlags },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words.slice(0, 1), 'session');
    const shares = words.slice(1).map(parseShare);
    if (flags.none && shares.length > 0) {
      throw usageError({
        what: '--none cannot be combined with users.',
        why: '--none stops sharing the session.',
        todo: 'leave one of them out.',
      });
    }
    const items = await withServer(flags, async (client) => {
      const params = { id: (await findSession(client, reference)).id };
      const answer =
        shares.length > 0 || flags.none
          ? await client.putShares({ params, body: { shares } })
          : await client.getShares({ params });
      return answer.items;
    });
    printList(items, flags.json, listing);
    return EXIT.ok;
  },
});

const listing: Listing<Share> = {
  columns: [
    { head: 'USER', text: ({ userName }) => userName, flexible: true },
    { head: 'ACCESS', text: ({ level }) => level },
  ],
  fields: ({ userName, level, userId }) => [userName, level, userId],
  empty: 'Not shared yet. "baton share <session> <user>:view" shares it.',
};

function parseShare(word: string): PutShares['shares'][number] {
  const [user = '', level] = word.split(':');
  const parsed = ShareLevel.safeParse(level);
  if (user !== '' && parsed.success && `${user}:${level}` === word) {
    return { user, level: parsed.data };
  }
  throw usageError({
    what: `"${word}" is not a valid share.`,
    why: 'a share is a user name, a colon, and view or operate.',
    todo: `write ${user || 'hanako'}:view or ${user || 'hanako'}:operate.`,
  });
}
