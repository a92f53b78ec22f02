import { z } from 'zod';
import { type CommandGroup, clientCommand, EXIT } from './command.ts';
import { connectionFlags } from './connection.ts';
import { findSession } from './find-session.ts';
import { printJson, printLine } from './output.ts';
import { withServer } from './remote.ts';
import { usageError } from './user-error.ts';
import { takeWords } from './words.ts';

const move = clientCommand({
  summary: 'run a session on another host from now on (administrators)',
  usage: '[flags] <session> --to <host>',
  about: [
    'For a host that does not come back. Its directory must be on the new host already, at the path',
    'that it had, or without one in the data directory there; else nothing is changed.',
  ],
  flags: {
    to: {
      value: '<host>',
      schema: z.string().trim().min(1),
      expected: 'the id of a host, as "baton nodes" shows it',
      help: 'the host to move it to',
    },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session');
    const { to: host } = flags;
    if (host === undefined) {
      throw usageError({
        what: '"baton session move" needs a host.',
        why: 'it moves the session there.',
        todo: 'name one with --to; "baton nodes" lists them.',
      });
    }
    const session = await withServer(flags, async (client) => {
      const { id } = await findSession(client, reference);
      return client.moveSession({ params: { id }, body: { host } });
    });
    if (flags.json) printJson(session);
    else printLine(`Session "${session.name}" is now on ${session.host}.`);
    return EXIT.ok;
  },
});

export const session: CommandGroup = {
  summary: 'move a session to another host',
  commands: { move },
};
