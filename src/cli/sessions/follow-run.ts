import type { Client } from '../../client/client.ts';
import { isBatonError } from '../../contract/errors.ts';
import { payloadOf } from '../../contract/events/table.ts';
import type { RunState } from '../../contract/run.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { type CommandContext, EXIT } from '../command.ts';
import { clockAt } from '../output/clock.ts';
import { endOf } from '../output/event-notes.ts';
import { printJson } from '../output/output.ts';
import { Printer } from '../output/printer.ts';
import { Transcript } from '../output/transcript.ts';
import { lossNotes } from './loss-notes.ts';

/** The printer for a command that follows a run: agent text goes to stdout, notes to stderr. */
export const runPrinter = (): Printer => new Printer(process, process.env, 'stderr');

/** Shows a run until it ends, and returns the exit code for its outcome. */
export async function followRun(
  client: Client,
  runId: string,
  options: { json: boolean; printer: Printer; context: CommandContext },
): Promise<number> {
  const { json, printer, context } = options;
  const transcript = new Transcript(clockAt(Date.now()));
  const cancelling = new Cancelling(client, runId, printer, context);
  const watching = lossNotes(
    (text) => printer.note(text),
    () => cancelling.tryAgain(),
  );
  try {
    for await (const event of client.followRun(runId, watching)) {
      if (json) printJson(event);
      else if (!isPlainSuccess(event)) {
        for (const each of transcript.next(event)) {
          if (each.kind !== 'note' || !each.detail) printer.show(each);
        }
      }
      const done = payloadOf('done', event);
      if (done !== undefined) return exitCodeFor(done.state);
    }
    const run = await client.getRun({ params: { id: runId } });
    printer.note(endOf(run.state, run.error));
    return exitCodeFor(run.state);
  } finally {
    printer.end();
  }
}

/** A plain success needs no note: the agent's text and the exit code already show it. */
const isPlainSuccess = (event: SessionEvent): boolean =>
  payloadOf('run.finished', event)?.state === 'succeeded';

const exitCodeFor = (state: RunState): number =>
  state === 'succeeded' ? EXIT.ok : state === 'cancelled' ? EXIT.cancelled : EXIT.failed;

/**
 * Asks the server to cancel the run at the first signal, and again after each reconnect until it
 * has done so.
 */
class Cancelling {
  readonly #ask: () => Promise<void>;
  #wanted = false;

  constructor(client: Client, runId: string, printer: Printer, context: CommandContext) {
    this.#ask = async () => {
      try {
        await client.cancelRun({ params: { id: runId } });
        this.#wanted = false;
      } catch (error) {
        if (isBatonError(error, 'run_finished')) this.#wanted = false;
        else if (isBatonError(error, 'server_unreachable')) {
          printer.note(
            'Can’t reach the server; the run will be cancelled when the server can be reached again.',
          );
        } else printer.note(`The run could not be cancelled: ${(error as Error).message}`);
      }
    };
    const begin = (): void => {
      printer.note('Cancelling. Press Ctrl-C again to exit now; the run will still be cancelled.');
      this.#wanted = true;
      // After a second signal, wait briefly for this request before exiting.
      context.beforeExit.add(this.#ask());
    };
    if (context.stop.aborted) begin();
    else context.stop.addEventListener('abort', begin, { once: true });
  }

  tryAgain(): void {
    if (this.#wanted) void this.#ask();
  }
}
