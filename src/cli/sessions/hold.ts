import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/words.ts';
import { printJson, printLine } from '../output/output.ts';
import { findSession } from './find-session.ts';

export const hold = clientCommand({
  summary: 'start nothing in a session until it is resumed',
  usage: '[flags] <session>',
  about: ['What runs goes on to its end; queued messages are kept.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session');
    const session = await withServer(flags, async (client) => {
      const { id } = await findSession(client, reference);
      return client.hold({ params: { id } });
    });
    if (flags.json) printJson(session);
    else printLine(`Session "${session.name}" is held.`);
    return EXIT.ok;
  },
});

export const resume = clientCommand({
  summary: 'go on with what is queued in a held session',
  usage: '[flags] <session>',
  about: ['A session is held by hand, or after a run that failed while more was queued.'],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session');
    const session = await withServer(flags, async (client) => {
      const { id } = await findSession(client, reference);
      return client.resume({ params: { id } });
    });
    if (flags.json) printJson(session);
    else printLine(`Session "${session.name}" goes on.`);
    return EXIT.ok;
  },
});
