import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { type Session, SessionStatus, Tag } from '../contract/session.ts';
import { clientCommand, EXIT } from './command.ts';
import { connectionFlags } from './connection.ts';
import { money } from './event-notes.ts';
import { sessionsOf } from './find-session.ts';
import { printJson, printLine } from './output.ts';
import { relativeTime } from './relative-time.ts';
import { withServer } from './remote.ts';
import { type Colours, coloursFor, statusStyle } from './style.ts';
import { type Cell, table } from './table.ts';
import { plainLine } from './terminal-filter.ts';
import { takeWords } from './words.ts';

const NAME = 0;
const TAGS = 6;

export const ls = clientCommand({
  summary: 'list sessions',
  usage: '[flags]',
  about: ['Newest first. Into a pipe: one line each, separated by tabs, with whole ids and times.'],
  flags: {
    status: {
      value: '<status>',
      schema: z.string().toUpperCase().pipe(SessionStatus),
      expected: SessionStatus.options.join(', '),
      help: `only these: ${SessionStatus.options.join(', ')}`,
    },
    tag: { value: '<tag>', schema: Tag, expected: 'a tag', help: 'only those with this tag' },
    all: { short: 'a', help: 'archived ones, too' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    takeWords(words);
    const query = {
      ...(flags.status === undefined ? {} : { status: flags.status }),
      ...(flags.tag === undefined ? {} : { tag: flags.tag }),
    };
    const sessions = await withServer(flags, (client) => list(client, query, flags.all));
    if (flags.json) printJson(sessions);
    else if (!process.stdout.isTTY) for (const each of sessions) printLine(tabbed(each));
    else if (sessions.length === 0) printLine('No sessions. "baton run" makes one.');
    else for (const line of forTerminal(sessions)) printLine(line);
    return EXIT.ok;
  },
});

async function list(
  client: Client,
  query: { status?: SessionStatus; tag?: string },
  all: boolean,
): Promise<Session[]> {
  const found: Session[] = [];
  for (const archived of all ? [false, true] : [false]) {
    for await (const session of sessionsOf(client, { ...query, archived })) found.push(session);
  }
  return found.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

const stateOf = (session: Session): string =>
  [
    session.status,
    session.held ? 'held' : '',
    session.hostAway ? 'host away' : '',
    session.archivedAt === null ? '' : 'archived',
  ]
    .filter((word) => word !== '')
    .join(', ');

const tabbed = (session: Session): string =>
  [
    session.id,
    session.name,
    stateOf(session),
    session.agent.kind,
    session.unfinishedRuns,
    session.lastActiveAt,
    session.costUsd,
    session.tags.join(','),
  ]
    .map((value) => plainLine(String(value)))
    .join('\t');

function forTerminal(sessions: readonly Session[]): string[] {
  const style = coloursFor(process.stdout, process.env);
  const head = ['NAME', 'STATUS', 'AGENT', 'RUNS', 'ACTIVE', 'COST', 'TAGS', 'ID'];
  const length = distinctLength(sessions.map(({ id }) => id));
  const rows = sessions.map((session) => rowOf(session, length, style));
  return table([head.map((text) => ({ text, style: style.dim })), ...rows], {
    width: process.stdout.columns || 80,
    flexible: [NAME, TAGS],
  });
}

function rowOf(session: Session, idLength: number, style: Colours): Cell[] {
  return [
    { text: plainLine(session.name) },
    { text: stateOf(session), style: statusStyle(session.status, style) },
    { text: session.agent.kind },
    { text: session.unfinishedRuns === 0 ? '' : String(session.unfinishedRuns) },
    { text: relativeTime(session.lastActiveAt, Date.now()) },
    { text: session.costUsd === 0 ? '' : money(session.costUsd) },
    { text: plainLine(session.tags.join(', ')) },
    { text: session.id.slice(0, idLength) },
  ];
}

/** The shortest beginning that tells these ids apart, and no less than 8. */
export function distinctLength(ids: readonly string[]): number {
  let length = 8;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length++;
  return length;
}
