import { randomUUID } from 'node:crypto';
import { MessageOnBusy } from '../../contract/message.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { attachFlag, readAttachments } from '../input/attachments.ts';
import { readMessage } from '../input/message-text.ts';
import { takeWords } from '../input/positionals.ts';
import { printJson } from '../output/output.ts';
import { findSession } from './find-session.ts';
import { followRun, runPrinter } from './follow-run.ts';
import { noteWaiting, showReceipt } from './run.ts';

export const send = clientCommand({
  summary: 'queue a message in a session',
  usage: '[flags] <session> [--] "message"',
  about: [
    'If the message is "-" or omitted, it is read from standard input. With --follow, the exit codes are those of "baton run".',
  ],
  flags: {
    'on-busy': {
      value: '<what>',
      schema: MessageOnBusy,
      expected: MessageOnBusy.options.join(', '),
      help: `what to do if a run is in progress: ${MessageOnBusy.options.join(', ')} (default: enqueue)`,
    },
    ...attachFlag,
    follow: { short: 'f', help: 'follow the run until it ends' },
    ...connectionFlags,
  },
  run: async ({ flags, words }, context) => {
    const [reference = ''] = takeWords(words.slice(0, 1), 'session');
    const message = await readMessage(words.slice(1), process.stdin, context.stop);
    if (message === undefined) return EXIT.cancelled;
    const files = await readAttachments(flags.attach);
    return withServer(flags, async (client) => {
      const session = await findSession(client, reference);
      if (context.stop.aborted) return EXIT.cancelled;
      const receipt = await client.sendMessage(
        {
          params: { id: session.id },
          body: { message, ...files, onBusy: flags['on-busy'] ?? 'enqueue' },
        },
        { idempotencyKey: randomUUID() },
      );
      if (!flags.follow) {
        if (flags.json) printJson(receipt);
        else showReceipt(receipt, session);
        return EXIT.ok;
      }
      const printer = runPrinter();
      noteWaiting(printer, receipt, session);
      return followRun(client, receipt.runId, { json: flags.json, printer, context });
    });
  },
});
