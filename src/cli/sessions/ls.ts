import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { type Session, SessionStatus, Tag } from '../../contract/session.ts';
import { stopNote } from '../admin/stop-all.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { takeWords } from '../input/positionals.ts';
import { clockAt } from '../output/clock.ts';
import { money, plainUsd } from '../output/event-notes.ts';
import { distinctLength, type Listing, printList } from '../output/listing.ts';
import { note } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';
import { STATUS_WORDS, statusNamed } from '../output/status-words.ts';
import { statusStyle } from '../output/style.ts';
import { sessionsOf } from './find-session.ts';

const STATUSES = Object.values(STATUS_WORDS).join(', ');

export const ls = clientCommand({
  summary: 'list sessions',
  usage: '[flags]',
  about: [
    'Most recently active first. When piped, prints tab-separated lines with full ids and times.',
  ],
  flags: {
    status: {
      value: '<status>',
      schema: z.string().transform(statusNamed).pipe(SessionStatus),
      expected: STATUSES,
      help: `only sessions with this status: ${STATUSES}`,
    },
    tag: { value: '<tag>', schema: Tag, expected: 'a tag', help: 'only sessions with this tag' },
    all: { short: 'a', help: 'include archived sessions' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    takeWords(words);
    const query = {
      ...(flags.status === undefined ? {} : { status: flags.status }),
      ...(flags.tag === undefined ? {} : { tag: flags.tag }),
    };
    const [sessions, stop] = await withServer(flags, (client) =>
      Promise.all([list(client, query, flags.all), client.getStop()]),
    );
    const stopped = stopNote(stop, Date.now());
    if (stopped !== undefined && !flags.json) note(`${stopped}\n`);
    printList(sessions, flags.json, listingOf(sessions));
    return EXIT.ok;
  },
});

async function list(
  client: Client,
  query: { status?: SessionStatus; tag?: string },
  all: boolean,
): Promise<Session[]> {
  const sessions: Session[] = [];
  for (const archived of all ? [false, true] : [false]) {
    for await (const session of sessionsOf(client, { ...query, archived })) sessions.push(session);
  }
  return sessions.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? 1 : -1));
}

const sortKeyOf = ({ lastActiveAt, id }: Session): string => `${lastActiveAt} ${id}`;

const clock = (time: string): string => clockAt(Date.now())(Date.parse(time));

const stateOf = (session: Session): string =>
  [
    STATUS_WORDS[session.status],
    session.held ? 'paused' : '',
    session.hostAway ? 'host offline' : '',
    session.delayedUntil === null ? '' : `waiting until ${clock(session.delayedUntil)}`,
    session.archivedAt === null ? '' : 'archived',
  ]
    .filter((word) => word !== '')
    .join(', ');

function listingOf(sessions: readonly Session[]): Listing<Session> {
  const idLength = distinctLength(sessions.map(({ id }) => id));
  return {
    columns: [
      { head: 'NAME', text: ({ name }) => name, flexible: true },
      {
        head: 'STATUS',
        text: stateOf,
        style: ({ status }, colours) => statusStyle(status, colours),
      },
      { head: 'AGENT', text: ({ agent }) => agent.kind },
      { head: 'RUNS', text: ({ unfinishedRuns }) => `${unfinishedRuns || ''}` },
      { head: 'ACTIVE', text: ({ lastActiveAt }) => relativeTime(lastActiveAt, Date.now()) },
      { head: 'COST', text: ({ costUsd }) => (costUsd === 0 ? '' : money(costUsd)) },
      { head: 'TAGS', text: ({ tags }) => tags.join(', '), flexible: true },
      { head: 'ID', text: ({ id }) => id.slice(0, idLength) },
    ],
    fields: (session) => [
      session.id,
      session.name,
      stateOf(session),
      session.agent.kind,
      session.unfinishedRuns,
      session.lastActiveAt,
      plainUsd(session.costUsd),
      session.tags.join(','),
    ],
    empty: 'No sessions. "baton run" creates one.',
  };
}
