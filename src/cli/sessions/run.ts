import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { DEFAULT_KIND } from '../../contract/agent-kinds.ts';
import { SESSION_NAME_MAX } from '../../contract/limits.ts';
import type { MessageReceipt } from '../../contract/message.ts';
import { AgentKind, type Session, SessionName } from '../../contract/session.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import type { Given } from '../input/args.ts';
import { attachFlag, readAttachments } from '../input/attachments.ts';
import { readMessage } from '../input/message-text.ts';
import { sessionNameAt } from '../output/clock.ts';
import { printJson, printLine } from '../output/output.ts';
import type { Printer } from '../output/printer.ts';
import { findSession } from './find-session.ts';
import { followRun, runPrinter } from './follow-run.ts';

const flags = {
  session: {
    short: 's',
    value: '<session>',
    schema: z.string().trim().min(1),
    expected: 'the id or the name of a session',
    help: 'send to this session instead of a new one',
  },
  agent: {
    value: '<kind>',
    schema: AgentKind,
    expected: AgentKind.options.join(', '),
    help: `agent of the new session: ${AgentKind.options.join(', ')} (default: ${DEFAULT_KIND})`,
  },
  name: {
    value: '<name>',
    schema: SessionName,
    expected: `1 to ${SESSION_NAME_MAX} printable characters`,
    help: 'name of the new session (default: based on the time)',
  },
  dir: {
    value: '<path>',
    schema: z
      .string()
      .min(1)
      .transform((path) => resolve(path)),
    expected: 'the path of a directory',
    help: 'directory on the server where the agent works (default: a new one)',
  },
  on: {
    value: '<host>',
    schema: z.string().trim().min(1),
    expected: 'the name or the id of a host',
    help: 'host of the new session, if agents run on several machines',
  },
  ...attachFlag,
  detach: { short: 'd', help: 'print the run and exit without waiting' },
  ...connectionFlags,
} as const;

export const run = clientCommand({
  summary: 'send a message to an agent and show its response as it arrives',
  usage: '[flags] [--] "message"',
  about: [
    'Creates a session, sends the message and follows the run.',
    'If the message is "-" or omitted, it is read from standard input.',
    'Ctrl-C cancels the run and waits for it to end; a second one exits immediately.',
    '',
    'Exit code: 0 succeeded, 1 failed, 130 cancelled, 2 refused or wrong usage, 3 no server.',
  ],
  flags,
  run: async (given, context) => {
    const { json, detach } = given.flags;
    refuseMixture(given.flags);
    const message = await readMessage(given.words, process.stdin, context.stop);
    if (message === undefined) return EXIT.cancelled;
    const files = await readAttachments(given.flags.attach);
    return withServer(given.flags, async (client) => {
      const session = await sessionFor(client, given.flags);
      if (context.stop.aborted) return EXIT.cancelled;
      const receipt = await client.sendMessage(
        { params: { id: session.id }, body: { message, ...files } },
        { idempotencyKey: randomUUID() },
      );
      if (detach) {
        if (json) printJson(receipt);
        else showReceipt(receipt, session);
        return EXIT.ok;
      }
      const printer = runPrinter();
      noteWaiting(printer, receipt, session);
      return followRun(client, receipt.runId, { json, printer, context });
    });
  },
});

function refuseMixture(given: Given<typeof flags>): void {
  if (given.session === undefined) return;
  const other = (['agent', 'name', 'dir', 'on'] as const).find((flag) => given[flag] !== undefined);
  if (other === undefined) return;
  throw usageError({
    what: `--session and --${other} cannot be combined.`,
    why: `--${other} is for a new session; --session names an existing one.`,
    todo: 'leave one of them out.',
  });
}

async function sessionFor(client: Client, given: Given<typeof flags>): Promise<Session> {
  if (given.session !== undefined) return findSession(client, given.session);
  const { agent, dir, on: host } = given;
  const workspace = {
    provider: 'directory' as const,
    ...(dir === undefined ? {} : { path: dir }),
    ...(host === undefined ? {} : { host }),
  };
  return client.createSession({
    body: {
      name: given.name ?? sessionNameAt(Date.now(), Math.random),
      ...(agent === undefined ? {} : { agent: { kind: agent } }),
      workspace,
    },
  });
}

/** Shows the receipt to a person who is not waiting for the run. */
export function showReceipt(receipt: MessageReceipt, { name }: Session): void {
  const { runId, status, position, stopped } = receipt;
  const ahead = position === 0 ? '' : `; ${position} ahead of it`;
  if (status === 'steered') printLine(`Sent to the agent, which is working on run ${runId}.`);
  else printLine(`Queued run ${runId} in session ${name}${ahead}.`);
  if (stopped) printLine(STOPPED);
  printLine(`Follow it with: baton logs -f ${runId}`);
}

const STOPPED =
  'An administrator has stopped everything; the run starts when everything is resumed. "baton ls" shows why.';

/** Says why the response may take a while. */
export function noteWaiting(
  printer: Printer,
  { position, stopped }: MessageReceipt,
  session: Session,
): void {
  if (stopped) {
    printer.note(STOPPED);
  } else if (session.held) {
    printer.note('This session’s queue is paused; run "baton resume" to continue.');
  } else if (session.hostAway) {
    printer.note(
      `No worker is running on this session’s machine (${session.hostName}). The run starts when a worker runs there again, or when an administrator moves the session.`,
    );
  } else if (position > 0) {
    printer.note(`Queued; ${position === 1 ? 'one run is' : `${position} runs are`} ahead of it.`);
  }
}
