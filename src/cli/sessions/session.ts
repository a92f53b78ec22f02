import { z } from 'zod';
import { usageError } from '../../config/user-error.ts';
import { type CommandGroup, clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { printJson, printLine } from '../output/output.ts';
import { findSession } from './find-session.ts';

const move = clientCommand({
  summary: 'move a session to another host (administrators)',
  usage: '[flags] <session> --to <host>',
  about: [
    'Use this when a host is gone for good. Copy the workspace to the new host first.',
    'If you chose its directory, keep the same path; otherwise copy it into the data directory there.',
    'If the workspace is missing on the new host, nothing changes.',
  ],
  flags: {
    to: {
      value: '<host>',
      schema: z.string().trim().min(1),
      expected: 'the name or the id of a host, as shown by "baton nodes"',
      help: 'host to move the session to',
    },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session');
    const { to: host } = flags;
    if (host === undefined) {
      throw usageError({
        what: 'Missing option: --to <host>.',
        why: '"baton session move" needs to know which host to move the session to.',
        todo: 'add it; "baton nodes" lists the hosts.',
      });
    }
    const session = await withServer(flags, async (client) => {
      const { id } = await findSession(client, reference);
      return client.moveSession({ params: { id }, body: { host } });
    });
    if (flags.json) printJson(session);
    else printLine(`Session "${session.name}" is now on ${session.hostName}.`);
    return EXIT.ok;
  },
});

export const session: CommandGroup = {
  summary: 'move a session to another host',
  commands: { move },
};
