import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { asUnreachable, request } from '../../client/request.ts';
import { accessEndpoints } from '../../contract/api/access.ts';
import { AuditAction, type AuditEntry } from '../../contract/audit.ts';
import { defined } from '../../contract/functions/defined.ts';
import type { Json } from '../../contract/values/json.ts';
import { clientCommand, EXIT } from '../command.ts';
import { type Connection, connectionFlags } from '../connection/connection.ts';
import { pagesOf } from '../connection/pages.ts';
import { withServer } from '../connection/remote.ts';
import { MOMENT_EXPECTED, momentBefore } from '../input/moment.ts';
import { takeWords } from '../input/positionals.ts';
import { distinctLength, type Listing, printList } from '../output/listing.ts';
import { printJsonText } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';
import { findUser, usersOf } from './find-user.ts';

const LIMIT = 50;
const moment = { value: '<time>', schema: momentBefore(Date.now), expected: MOMENT_EXPECTED };

export const audit = clientCommand({
  summary: 'show who changed what, when and from where (administrators)',
  usage: '[flags]',
  about: [
    'Newest first. A time can be a date, a date and time, or an age such as 30m, 12h or 7d.',
    'To save all matching entries, one JSON object per line: baton audit --export > audit.ndjson',
  ],
  flags: {
    user: {
      value: '<name>',
      schema: z.string().min(1).max(64),
      expected: 'the name or id of a user',
      help: 'only changes by this user',
    },
    action: {
      value: '<action>',
      schema: AuditAction,
      expected: AuditAction.options.join(', '),
      help: 'only changes with this action, such as token.create',
    },
    target: {
      value: '<id>',
      schema: z.string().min(1).max(200),
      expected: 'the id of a session, run, user or token',
      help: 'only changes to the object with this id',
    },
    from: { ...moment, help: 'only changes at or after this time' },
    to: { ...moment, help: 'only changes before this time' },
    limit: {
      value: '<n>',
      schema: z
        .string()
        .regex(/^[1-9]\d{0,5}$/)
        .transform(Number),
      expected: 'a whole number from 1 to 999999',
      help: `maximum number of entries (default: ${LIMIT})`,
    },
    export: { help: 'print all matching entries, one JSON object per line' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    takeWords(words);
    await withServer(flags, async (client, connection) => {
      const { user, action, target, from, to } = flags;
      const query = {
        ...(user === undefined ? {} : { userId: (await findUser(client, user)).id }),
        ...defined({ action, target, from, to }),
      };
      if (flags.export) return exportAll(connection, query);
      const entries = await newestEntries(client, query, flags.limit ?? LIMIT);
      const names = flags.json ? new Map() : await namesOf(client);
      printList(entries, flags.json, listingOf(entries, names));
    });
    return EXIT.ok;
  },
});

type Query = NonNullable<NonNullable<Parameters<Client['listAudit']>[0]>['query']>;

async function newestEntries(client: Client, query: Query, count: number): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const all = pagesOf(({ limit, ...page }) =>
    client.listAudit({ query: { ...query, ...page, limit: Math.min(limit, count) } }),
  );
  for await (const entry of all) {
    entries.push(entry);
    if (entries.length === count) break;
  }
  return entries;
}

/** Streams the log, so that several years of it need not fit into memory. */
async function exportAll(connection: Connection, query: Query): Promise<void> {
  const { body } = await request(connection, accessEndpoints.exportAudit, { query });
  try {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      await printJsonText(piece);
    }
  } catch (error) {
    throw asUnreachable(error, connection.url);
  }
}

async function namesOf(client: Client): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, name } of usersOf(client)) names.set(id, name);
  return names;
}

function listingOf(
  entries: readonly AuditEntry[],
  names: ReadonlyMap<string, string>,
): Listing<AuditEntry> {
  const nameOf = (id: string): string => names.get(id) ?? id;
  const idLength = distinctLength(entries.map(({ target }) => target.id));
  return {
    columns: [
      { head: 'WHEN', text: ({ at }) => relativeTime(at, Date.now()) },
      { head: 'WHO', text: ({ userId }) => nameOf(userId), flexible: true },
      { head: 'CHANNEL', text: ({ channel }) => channel },
      { head: 'ADDRESS', text: ({ address }) => address },
      { head: 'ACTION', text: ({ action }) => action },
      { head: 'TARGET', text: ({ target: { id } }) => names.get(id) ?? id.slice(0, idLength) },
      { head: 'CHANGE', text: (entry) => changeOf(entry, nameOf), flexible: true },
    ],
    fields: (entry) => [
      entry.at,
      nameOf(entry.userId),
      entry.channel,
      entry.credential,
      entry.address,
      entry.action,
      entry.target.kind,
      entry.target.id,
      changeOf(entry, nameOf),
    ],
    empty: 'No matching entries.',
  };
}

/**
 * Describes a change, such as `role: operator → viewer`, or lists the new values. Users are shown
 * by name.
 */
function changeOf({ before, after }: AuditEntry, nameOf: (id: string) => string): string {
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  const shortText = (value: Json | undefined): string =>
    typeof value === 'string' ? nameOf(value) : JSON.stringify(value);
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((name) => {
      const values = [from[name], to[name]].filter((value) => value !== undefined).map(shortText);
      return `${nameOf(name)}: ${values.join(' → ')}`;
    })
    .join(', ');
}

const fieldsOf = (value: Json): Record<string, Json> => {
  if (value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? value : { value };
};
