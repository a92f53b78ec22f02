import { STOP_REASON_MAX } from '../../contract/limits.ts';
import { type Stop, StopReason } from '../../contract/stop.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import type { Flags, Given } from '../input/args.ts';
import { takeWords } from '../input/positionals.ts';
import { printJson, printLine } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';

const flags = {
  reason: {
    value: '<text>',
    schema: StopReason,
    expected: `one line of at most ${STOP_REASON_MAX} characters`,
    help: 'reason, shown to everyone and kept in the audit log',
  },
  ...connectionFlags,
} as const satisfies Flags;

export const stopAll = clientCommand({
  summary: 'stop all agents; nothing starts until resumed (administrators)',
  usage: '[flags]',
  about: [
    'Stops every agent on every machine within seconds, and pauses all queues. Nothing is lost.',
    'Runs return to the head of their queues, new messages are queued, and questions stay open.',
    'This lasts until "baton resume-all", even across restarts.',
  ],
  flags,
  run: async ({ flags: given, words }) => {
    takeWords(words);
    const stop = await put(given, true);
    if (given.json) printJson(stop);
    else
      printLine('Everything is stopped. Agents stop within seconds. To resume: baton resume-all');
    return EXIT.ok;
  },
});

export const resumeAll = clientCommand({
  summary: 'resume after "stop-all" (administrators)',
  usage: '[flags]',
  about: ['Every session continues in order, beginning with the run that was stopped.'],
  flags,
  run: async ({ flags: given, words }) => {
    takeWords(words);
    const stop = await put(given, false);
    if (given.json) printJson(stop);
    else printLine('Resumed. Runs are starting again.');
    return EXIT.ok;
  },
});

const put = (given: Given<typeof flags>, stopped: boolean): Promise<Stop> =>
  withServer(given, (client) => {
    const { reason } = given;
    return client.putStop({ body: { stopped, ...(reason === undefined ? {} : { reason }) } });
  });

/** A note that says why nothing starts; undefined if work is not stopped. */
export function stopNote({ since, by, reason }: Stop, now: number): string | undefined {
  if (since === null || by === null) return undefined;
  const why = reason === null ? '' : `: ${reason}`;
  return `Everything was stopped by ${by}, ${relativeTime(since, now)}${why}\nNothing starts until an administrator runs "baton resume-all".`;
}
