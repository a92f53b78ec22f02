import { usageError } from '../../config/user-error.ts';
import { type PutShares, type Share, ShareLevel } from '../../contract/access.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/words.ts';
import { type Listing, printList } from '../output/listing.ts';
import { findSession } from './find-session.ts';

export const share = clientCommand({
  summary: 'show with whom a session is shared, or share it with others',
  usage: '[flags] <session> [user:view | user:operate …]',
  about: [
    'Those who view read everything in it; those who operate also send messages and cancel runs.',
    'The users named replace those of before. Without any it changes nothing and lists them.',
  ],
  flags: { none: { help: 'share it with nobody' }, ...connectionFlags },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words.slice(0, 1), 'session');
    const shares = words.slice(1).map(parseShare);
    if (flags.none && shares.length > 0) {
      throw usageError({
        what: '--none and users do not go together.',
        why: 'it shares the session with nobody.',
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
    { head: 'MAY', text: ({ level }) => level },
  ],
  fields: ({ userName, level, userId }) => [userName, level, userId],
  empty: 'Shared with nobody. "baton share <session> <user>:view" shares it.',
};

function parseShare(word: string): PutShares['shares'][number] {
  const [user = '', level] = word.split(':');
  const parsed = ShareLevel.safeParse(level);
  if (user !== '' && parsed.success && `${user}:${level}` === word) {
    return { user, level: parsed.data };
  }
  throw usageError({
    what: `"${word}" is not understood.`,
    why: 'a share is the name of a user, a colon, and view or operate.',
    todo: `write ${user || 'hanako'}:view or ${user || 'hanako'}:operate.`,
  });
}
