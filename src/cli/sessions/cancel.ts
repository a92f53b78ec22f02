import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import type { RunView } from '../../contract/run-view.ts';
import type { Session } from '../../contract/session.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { printJson, printLine } from '../output/output.ts';
import { findSessionOrRun } from './find-session.ts';

const BEGUN = ['running', 'dequeued', 'waiting', 'retry_scheduled'] as const;

export const cancel = clientCommand({
  summary: 'cancel a run, or the current run of a session',
  usage: '[flags] <run|session>',
  about: [
    'A queued run is cancelled immediately; a running one is asked to stop and ends soon afterwards.',
  ],
  flags: connectionFlags,
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'run|session');
    const run = await withServer(flags, async (client) => {
      const match = await findSessionOrRun(client, reference);
      const { id } = 'run' in match ? match.run : await runningIn(client, match.session);
      return client.cancelRun({ params: { id } });
    });
    if (flags.json) printJson(run);
    else if (run.state === 'cancelled') printLine(`Cancelled run ${run.id}.`);
    else printLine(`Stopping run ${run.id}.`);
    return EXIT.ok;
  },
});

async function runningIn(client: Client, { id, name }: Session): Promise<RunView> {
  for (const state of BEGUN) {
    const { items } = await client.listSessionRuns({ params: { id }, query: { state, limit: 1 } });
    if (items[0] !== undefined) return items[0];
  }
  throw usageError({
    what: `Nothing is running in session "${name}".`,
    why: 'its runs have ended or have not started.',
    todo: 'to cancel a queued run, use its id; "baton logs <session>" shows it.',
  });
}
