import { clientCommand, EXIT } from '../command.ts';
import { takeWords } from '../input/positionals.ts';
import { printJson, printLine } from '../output/output.ts';
import { connectionFlags } from './connection.ts';
import { withServer } from './remote.ts';

export const whoami = clientCommand({
  summary: 'show your user and permissions on the server',
  usage: '[flags]',
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    takeWords(words);
    const { me, url } = await withServer(flags, async (client, connection) => ({
      me: await client.getMe(),
      url: connection.url,
    }));
    if (flags.json) printJson(me);
    else
      printLine(
        `${me.user.name} (${me.user.role}) at ${url}; permissions: ${me.rights.join(', ')}.`,
      );
    return EXIT.ok;
  },
});
