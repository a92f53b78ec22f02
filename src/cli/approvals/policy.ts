import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { visible } from '../../client/visible.ts';
import { usageError } from '../../config/user-error.ts';
import { Channel } from '../../contract/message.ts';
import {
  type Decision,
  type ScopeRules,
  SharedRules,
  type Verdict,
} from '../../contract/policy.ts';
import { type CommandGroup, clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { withServer } from '../connection/remote.ts';
import type { Arguments } from '../input/args.ts';
import { readJson } from '../input/json-input.ts';
import { takeWords } from '../input/words.ts';
import { type Listing, printList } from '../output/listing.ts';
import { printJson, printLine } from '../output/output.ts';
import { type Colours, coloursFor } from '../output/style.ts';
import { plainLine } from '../output/terminal-filter.ts';
import { findSession } from '../sessions/find-session.ts';
import { parseToolCall } from './tool-call.ts';

const channel = {
  value: '<channel>',
  schema: Channel,
  expected: Channel.options.join(', '),
  help: `of this channel: ${Channel.options.join(', ')}`,
};
const session = {
  value: '<session>',
  schema: z.string().min(1),
  expected: 'the id or the name of a session',
  help: 'of this session',
};
const placeFlags = { channel, session, ...connectionFlags } as const;
type PlaceFlags = Arguments<typeof placeFlags>['flags'];

interface Place {
  read(): Promise<ScopeRules>;
  put(rules: SharedRules): Promise<ScopeRules>;
}

/** Of everything, unless a channel or a session is named. */
async function placeOf(client: Client, { channel, session }: PlaceFlags): Promise<Place> {
  if (session !== undefined) {
    const params = { id: (await findSession(client, session)).id };
    return {
      read: () => client.getSessionRules({ params }),
      put: ({ enforced, ...body }) => {
        if (enforced.length > 0) throw notInSession();
        return client.putSessionRules({ params, body });
      },
    };
  }
  if (channel === undefined) {
    return {
      read: () => client.getGlobalRules(),
      put: (body) => client.putGlobalRules({ body }),
    };
  }
  const params = { channel };
  return {
    read: () => client.getChannelRules({ params }),
    put: (body) => client.putChannelRules({ params, body }),
  };
}

const notInSession = () =>
  usageError({
    what: 'Rules of a session cannot be enforced.',
    why: 'only those of a channel or of everything can, by administrators.',
    todo: 'leave out --session, or the "enforce-" of the rules.',
  });

function mustBeOne({ channel, session }: PlaceFlags): void {
  if (channel === undefined || session === undefined) return;
  throw usageError({
    what: '--channel and --session do not go together.',
    why: 'each has rules of its own.',
    todo: 'leave one of them out.',
  });
}

const show = clientCommand({
  summary: 'show the rules of everything, of a channel or of a session',
  usage: '[flags]',
  about: [
    'Without flags those for everything. A channel has its defaults until somebody sets others.',
  ],
  flags: placeFlags,
  run: async ({ flags, words }) => {
    takeWords(words);
    mustBeOne(flags);
    const rules = await withServer(flags, async (client) => (await placeOf(client, flags)).read());
    printRules(rules, flags.json);
    return EXIT.ok;
  },
});

const set = clientCommand({
  summary: 'set the rules of everything, of a channel or of a session',
  usage: '[flags] allow:<rule> ask:<rule> deny:<rule> …',
  about: [
    'They replace those of before. Within a place deny beats ask beats allow.',
    'baton policy set --channel line allow:Read "deny:Bash(git push)"',
    'Those of channels and of everything are set by administrators, who can enforce them:',
    'enforce-deny:<rule> and enforce-ask:<rule> always count, whatever a narrower place says.',
  ],
  flags: {
    ...placeFlags,
    file: {
      value: '<file>',
      schema: z.string().min(1),
      expected: 'the path of a JSON file, or - to read from a pipe',
      help: 'take them from a JSON file: {"allow": [], "ask": [], "deny": [], "enforced": []}',
    },
    none: { help: 'no rules' },
  },
  run: async ({ flags, words }) => {
    mustBeOne(flags);
    const ways = [words.length > 0, flags.file !== undefined, flags.none].filter(Boolean).length;
    if (ways !== 1) {
      throw usageError({
        what: ways === 0 ? 'There are no rules.' : 'The rules are given twice.',
        why: 'they are words, or in --file, or --none.',
        todo: 'write them as allow:Read "deny:Bash(git push)".',
      });
    }
    const rules =
      flags.file === undefined ? parseRules(words) : await readJson(flags.file, SharedRules, RULES);
    const put = await withServer(flags, async (client) =>
      (await placeOf(client, flags)).put(rules),
    );
    printRules(put, flags.json);
    return EXIT.ok;
  },
});

const RULES = 'a JSON object with the lists "allow", "ask", "deny" and "enforced"';

const test = clientCommand({
  summary: 'ask what would be decided about a tool call, and why',
  usage: '[flags] --channel <channel> "<tool call>"',
  about: ['baton policy test "Bash(git push)" --channel line'],
  flags: {
    ...placeFlags,
    channel: { ...channel, help: `of a message from there: ${Channel.options.join(', ')}` },
    session: { ...session, help: 'in this session' },
  },
  run: async ({ flags, words }) => {
    const [text = ''] = takeWords(words, 'tool call');
    const call = parseToolCall(text);
    const { channel, session } = flags;
    if (channel === undefined) {
      throw usageError({
        what: 'The channel is missing.',
        why: 'what may be done depends on where a message comes from.',
        todo: `add --channel ${Channel.options.join('|')}.`,
      });
    }
    const verdict = await withServer(flags, async (client) => {
      const where =
        session === undefined ? {} : { sessionId: (await findSession(client, session)).id };
      return client.testPolicy({ body: { ...call, channel, ...where } });
    });
    if (flags.json) printJson(verdict);
    else printVerdict(verdict, coloursFor(process.stdout, process.env));
    return EXIT.ok;
  },
});

export const policy: CommandGroup = {
  summary: 'what agents may do: rules of everything, of channels, of sessions',
  about: [
    'A rule is Tool or Tool(specifier), such as Read or Bash(git push).',
    'Asked in this order: session, channel, everything, then the defaults of the channel.',
    'Enforced rules of a channel or of everything always count.',
  ],
  commands: { show, set, test },
};

const STYLES: Record<Decision, keyof Colours> = { allow: 'green', ask: 'yellow', deny: 'red' };

function printVerdict({ decision, reason }: Verdict, colours: Colours): void {
  printLine(`${colours[STYLES[decision]](decision)}: ${plainLine(visible(reason))}`);
}

interface Line {
  readonly decision: Decision;
  readonly rule: string;
  readonly enforced: boolean;
}

function printRules(rules: ScopeRules, json: boolean): void {
  if (json) {
    printJson(rules);
    return;
  }
  const order = ['deny', 'ask', 'allow'] as const;
  const { enforced = [] } = rules;
  const lines = order.flatMap((decision) =>
    rules[decision].map((rule) => ({
      decision,
      rule: visible(rule),
      enforced: decision !== 'allow' && enforced.includes(rule),
    })),
  );
  printList(lines, false, listing);
}

const listing: Listing<Line> = {
  columns: [
    {
      head: 'DECISION',
      text: ({ decision }) => decision,
      style: ({ decision }, colours) => colours[STYLES[decision]],
    },
    { head: 'ENFORCED', text: ({ enforced }) => (enforced ? 'yes' : '') },
    { head: 'RULE', text: ({ rule }) => rule, flexible: true },
  ],
  fields: ({ decision, rule, enforced }) => [decision, rule, ...(enforced ? ['enforced'] : [])],
  empty: 'No rules.',
};

function parseRules(words: readonly string[]): SharedRules {
  const rules: SharedRules = { allow: [], ask: [], deny: [], enforced: [] };
  for (const word of words) {
    const [, enforce, decision, rule] = /^(enforce-)?(allow|ask|deny):(.+)$/s.exec(word) ?? [];
    if (decision === undefined || rule === undefined || (enforce && decision === 'allow')) {
      throw usageError({
        what: `"${word}" is not understood.`,
        why: 'a rule is allow, ask, deny, enforce-ask or enforce-deny, a colon, and Tool or Tool(specifier).',
        todo: 'write it as allow:Read or "deny:Bash(git push)".',
      });
    }
    rules[decision as Decision].push(rule);
    if (enforce) rules.enforced.push(rule);
  }
  return rules;
}
