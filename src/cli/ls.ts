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

interface Column {
  readonly head: string;
  readonly cell: (session: Session) => Cell;
  readonly flexible?: true;
}

function forTerminal(sessions: readonly Session[]): string[] {
  const style = coloursFor(process.stdout, process.env);
  const length = distinctLength(sessions.map(({ id }) => id));
  // What is empty for all of them takes no room.
  const shown = columns(length, style).filter(({ cell }) =>
    sessions.some((session) => cell(session).text !== ''),
  );
  const head = shown.map((column) => ({ text: column.head, style: style.dim }));
  return table([head, ...sessions.map((session) => shown.map(({ cell }) => cell(session)))], {
    width: process.stdout.columns || 80,
    flexible: shown.flatMap(({ flexible }, index) => (flexible ? [index] : [])),
  });
}

function columns(idLength: number, style: Colours): Column[] {
  const text = (head: string, of: (session: Session) => string): Column => ({
    head,
    cell: (session) => ({ text: of(session) }),
  });
  return [
    { ...text('NAME', ({ name }) => plainLine(name)), flexible: true },
    {
      head: 'STATUS',
      cell: (session) => ({ text: stateOf(session), style: statusStyle(session.status, style) }),
    },
    text('AGENT', ({ agent }) => agent.kind),
    text('RUNS', ({ unfinishedRuns }) => (unfinishedRuns === 0 ? '' : String(unfinishedRuns))),
    text('ACTIVE', ({ lastActiveAt }) => relativeTime(lastActiveAt, Date.now())),
    text('COST', ({ costUsd }) => (costUsd === 0 ? '' : money(costUsd))),
    { ...text('TAGS', ({ tags }) => plainLine(tags.join(', '))), flexible: true },
    text('ID', ({ id }) => id.slice(0, idLength)),
  ];
}

/** The shortest beginning that tells these ids apart, and no less than 8. */
export function distinctLength(ids: readonly string[]): number {
  let length = 8;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length++;
  return length;
}
