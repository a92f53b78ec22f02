import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { CostBy, type CostLine } from '../../contract/api/cost.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { Cost } from '../../contract/run-view.ts';
import { usersOf } from '../admin/find-user.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import { MOMENT_EXPECTED, momentBefore } from '../input/moment.ts';
import { money, plainUsd } from '../output/event-notes.ts';
import { type Listing, printList } from '../output/listing.ts';
import { printJson, printLine } from '../output/output.ts';
import { barOf, everyDay, shortCount } from './cost-chart.ts';
import { findSession, sessionsOf } from './find-session.ts';

const moment = { value: '<time>', schema: momentBefore(Date.now), expected: MOMENT_EXPECTED };

export const cost = clientCommand({
  summary: 'show what agents have cost',
  usage: '[session] [flags]',
  about: [
    'With a session, shows its cost by model.',
    'Without a session, shows the cost of all sessions you can see, by default for the last 30 days.',
    'A time can be a date, a date and time, or an age such as 30m, 12h or 7d. Days are in UTC.',
  ],
  flags: {
    by: {
      value: '<what>',
      schema: CostBy,
      expected: CostBy.options.join(', '),
      help: `group by ${CostBy.options.join(', ')} (default: day)`,
    },
    from: { ...moment, help: 'only costs at or after this time' },
    to: { ...moment, help: 'only costs before this time' },
    ...connectionFlags,
  },
  run: async ({ flags, words }) => {
    const { by = 'day', from, to, json } = flags;
    const [session, extra] = words;
    if (extra !== undefined || (session !== undefined && (flags.by ?? from ?? to) !== undefined)) {
      throw usageError({
        what:
          extra === undefined
            ? '--by, --from and --to cannot be combined with a session.'
            : `Unexpected argument: "${extra}".`,
        why: 'this command takes one session, or flags that apply to all sessions.',
        todo: 'leave one of them out.',
      });
    }
    await withServer(flags, async (client) => {
      if (session !== undefined) {
        const { id } = await findSession(client, session);
        printSession(await client.getCost({ params: { id } }), json);
        return;
      }
      const range = {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
      const { items } = await client.listCosts({ query: { by, ...range } });
      const people = process.stdout.isTTY && !json;
      const names = people ? await namesOf(client, by) : new Map<string, string>();
      const lines = people && by === 'day' ? everyDay(items) : items;
      printList(lines, json, listingOf(lines, by, names));
      if (people && items.length > 1) printLine(`Total ${money(totalOf(items))}`);
    });
    return EXIT.ok;
  },
});

const totalOf = (lines: readonly { costUsd: number }[]): number =>
  lines.reduce((sum, { costUsd }) => sum + costUsd, 0);

function printSession(cost: Cost, json: boolean): void {
  if (json) {
    printJson(cost);
    return;
  }
  const { models, budgetUsd } = cost;
  const lines = models.map(({ model, ...sums }) => ({ key: model ?? '', ...sums }));
  printList(lines, false, listingOf(lines, 'model', new Map()));
  if (!process.stdout.isTTY) return;
  const of = budgetUsd === null ? '' : ` of ${money(budgetUsd)}`;
  printLine(`Total ${money(cost.costUsd)}${of}`);
}

/** Names to show instead of ids. Without the right to list users, ids are shown. */
async function namesOf(client: Client, by: CostBy): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  try {
    if (by === 'user') for await (const { id, name } of usersOf(client)) names.set(id, name);
    if (by !== 'session') return names;
    for (const archived of [false, true]) {
      for await (const { id, name } of sessionsOf(client, { archived })) names.set(id, name);
    }
  } catch (error) {
    if (!isBatonError(error, 'forbidden')) throw error;
  }
  return names;
}

function listingOf(
  lines: readonly CostLine[],
  by: CostBy,
  names: ReadonlyMap<string, string>,
): Listing<CostLine> {
  const most = Math.max(...lines.map(({ costUsd }) => costUsd));
  return {
    columns: [
      { head: by.toUpperCase(), text: ({ key }) => nameOf(key, names), flexible: true },
      { head: 'COST', text: ({ costUsd }) => (costUsd === 0 ? '' : money(costUsd)) },
      {
        head: '',
        text: ({ costUsd }) => barOf(costUsd, most),
        style: (_, colours) => colours.green,
      },
      { head: 'INPUT', text: ({ inputTokens }) => shortCount(inputTokens) },
      { head: 'OUTPUT', text: ({ outputTokens }) => shortCount(outputTokens) },
      { head: 'CACHED', text: ({ cacheReadTokens }) => shortCount(cacheReadTokens) },
      { head: 'AGENTS', text: ({ invocations }) => shortCount(invocations) },
      ...(lines.some(({ estimatedUsd }) => estimatedUsd > 0) ? [ESTIMATED] : []),
    ],
    fields: (line) => [
      line.key,
      plainUsd(line.costUsd),
      line.inputTokens,
      line.outputTokens,
      line.cacheCreationTokens,
      line.cacheReadTokens,
      line.invocations,
      plainUsd(line.estimatedUsd),
    ],
    empty: 'No costs in this period.',
  };
}

const ESTIMATED: Listing<CostLine>['columns'][number] = {
  head: 'ESTIMATED',
  text: ({ estimatedUsd }) => (estimatedUsd === 0 ? '' : money(estimatedUsd)),
};

const nameOf = (key: string, names: ReadonlyMap<string, string>): string =>
  key === '' ? '(unknown)' : (names.get(key) ?? key);
