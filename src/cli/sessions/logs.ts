import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { clockAt } from '../output/clock.ts';
import { printJson } from '../output/output.ts';
import { Printer } from '../output/printer.ts';
import { Transcript } from '../output/transcript.ts';
import { findSessionOrRun } from './find-session.ts';
import { lossNotes } from './loss-notes.ts';

const PAGE = 1000;

export const logs = clientCommand({
  summary: 'show the log of a session or run',
  usage: '[flags] <session|run>',
  about: [
    'With -f, keeps showing new events until the run ends (for a session, until you press Ctrl-C).',
  ],
  flags: {
    follow: { short: 'f', help: 'also show new events as they arrive' },
    after: {
      value: '<seq>',
      schema: z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
      expected: 'the seq of an event, a whole number',
      help: 'only events after this one',
    },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const [reference = ''] = takeWords(words, 'session|run');
    await withServer(flags, async (client) => {
      const target = await targetOf(client, reference);
      const after = flags.after ?? 0;
      const events = flags.follow ? target.follow(after) : stored(target.page, after);
      await show(events, flags.json);
    });
    return EXIT.ok;
  },
});

interface Target {
  page(after: number): Promise<{ items: SessionEvent[]; nextCursor: number | null }>;
  follow(after: number): AsyncIterable<SessionEvent>;
}

async function targetOf(client: Client, reference: string): Promise<Target> {
  const match = await findSessionOrRun(client, reference);
  const watching = lossNotes((text) => void process.stderr.write(`${text}\n`));
  if ('session' in match) {
    const { id } = match.session;
    return {
      page: (after) => client.sessionEvents({ params: { id }, query: { after, limit: PAGE } }),
      follow: (after) => client.followSession(id, { after, ...watching }),
    };
  }
  const { id } = match.run;
  return {
    page: (after) => client.runEvents({ params: { id }, query: { after, limit: PAGE } }),
    follow: (after) => client.followRun(id, { after, ...watching }),
  };
}

async function* stored(page: Target['page'], after: number): AsyncGenerator<SessionEvent> {
  for (let from: number | null = after; from !== null; ) {
    const { items, nextCursor } = await page(from);
    yield* items;
    from = nextCursor;
  }
}

async function show(events: AsyncIterable<SessionEvent>, json: boolean): Promise<void> {
  const clock = clockAt(Date.now());
  const transcript = new Transcript(clock);
  const screens = { stdout: process.stdout, stderr: process.stdout };
  const printer = new Printer(screens, process.env, 'stdout');
  try {
    for await (const event of events) {
      if (json) printJson(event);
      else {
        for (const each of transcript.next(event)) {
          if (each.kind === 'note') printer.note(`${clock(Date.parse(event.at))}  ${each.text}`);
          else printer.show(each);
        }
      }
    }
  } finally {
    printer.end();
  }
}
