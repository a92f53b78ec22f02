import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { printJson, printLine } from '../output/output.ts';
import { findSession } from './find-session.ts';

export const hold = clientCommand({
  summary: "pause a session's queue",
  usage: '[flags] <session>',
  about: ['The current run continues; queued messages are kept.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session');
    const session = await withServer(flags, async (client) => {
      const { id } = await findSession(client, reference);
      return client.hold({ params: { id } });
    });
    if (flags.json) printJson(session);
    else printLine(`Paused "${session.name}".`);
    return EXIT.ok;
  },
});

export const resume = clientCommand({
  summary: 'resume a paused queue',
  usage: '[flags] <session>',
  about: ['A queue is paused by "baton hold", or when a run fails while others are queued.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session');
    const session = await withServer(flags, async (client) => {
      const { id } = await findSession(client, reference);
      return client.resume({ params: { id } });
    });
    if (flags.json) printJson(session);
    else printLine(`Resumed "${session.name}".`);
    return EXIT.ok;
  },
});
