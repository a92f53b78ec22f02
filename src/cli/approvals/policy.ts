import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { spellOutUnseen } from '../../client/spell-out-unseen.ts';
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
import { takeWords } from '../input/positionals.ts';
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
  help: `rules of this channel: ${Channel.options.join(', ')}`,
};
const session = {
  value: '<session>',
  schema: z.string().min(1),
  expected: 'the id or the name of a session',
  help: 'rules of this session',
};
const scopeFlags = { channel, session, ...connectionFlags } as const;
type ScopeFlags = Arguments<typeof scopeFlags>['flags'];

interface RuleScope {
  read(): Promise<ScopeRules>;
  put(rules: SharedRules): Promise<ScopeRules>;
}

/** The named channel or session; by default, the whole server. */
async function scopeOf(client: Client, { channel, session }: ScopeFlags): Promise<RuleScope> {
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
    what: 'Session rules cannot be enforced.',
    why: 'only administrators can enforce rules, for a channel or the whole server.',
    todo: 'leave out --session, or "enforce-" in the rules.',
  });

function refuseTwoScopes({ channel, session }: ScopeFlags): void {
  if (channel === undefined || session === undefined) return;
  throw usageError({
    what: '--channel and --session cannot be combined.',
    why: 'each has its own rules.',
    todo: 'leave one of them out.',
  });
}

const show = clientCommand({
  summary: 'show the rules of the server, a channel or a session',
  usage: '[flags]',
  about: [
    'Without flags, shows the rules of the whole server. A channel uses its default rules until others are set.',
  ],
  flags: scopeFlags,
  run: async ({ flags, words }) => {
    takeWords(words);
    refuseTwoScopes(flags);
    const rules = await withServer(flags, async (client) => (await scopeOf(client, flags)).read());
    printRules(rules, flags.json);
    return EXIT.ok;
  },
});

const set = clientCommand({
  summary: 'set the rules of the server, a channel or a session',
  usage: '[flags] allow:<rule> ask:<rule> deny:<rule> …',
  about: [
    'Replaces all rules of that scope. Within a scope, deny overrides ask, and ask overrides allow.',
    'baton policy set --channel line allow:Read "deny:Bash(git push)"',
    'Only administrators can set the rules of a channel or the whole server.',
    'They can also enforce them: enforce-deny:<rule> and enforce-ask:<rule> always apply, whatever narrower',
    'scopes say.',
  ],
  flags: {
    ...scopeFlags,
    file: {
      value: '<file>',
      schema: z.string().min(1),
      expected: 'the path of a JSON file, or - to read from standard input',
      help: 'read the rules from a JSON file: {"allow": [], "ask": [], "deny": [], "enforced": []}',
    },
    none: { help: 'remove all rules' },
  },
  run: async ({ flags, words }) => {
    refuseTwoScopes(flags);
    const ways = [words.length > 0, flags.file !== undefined, flags.none].filter(Boolean).length;
    if (ways !== 1) {
      throw usageError({
        what: ways === 0 ? 'No rules were given.' : 'Rules were given in more than one way.',
        why: 'use only one of these: arguments, --file or --none.',
        todo: 'write them as allow:Read "deny:Bash(git push)".',
      });
    }
    const rules =
      flags.file === undefined ? parseRules(words) : await readJson(flags.file, SharedRules, RULES);
    const put = await withServer(flags, async (client) =>
      (await scopeOf(client, flags)).put(rules),
    );
    printRules(put, flags.json);
    return EXIT.ok;
  },
});

const RULES = 'a JSON object with the lists "allow", "ask", "deny" and "enforced"';

const test = clientCommand({
  summary: 'show what the rules would decide about a tool call, and why',
  usage: '[flags] --channel <channel> "<tool call>"',
  about: ['baton policy test "Bash(git push)" --channel line'],
  flags: {
    ...scopeFlags,
    channel: {
      ...channel,
      help: `the channel a message comes from: ${Channel.options.join(', ')}`,
    },
    session: { ...session, help: 'also apply the rules of this session' },
  },
  run: async ({ flags, words }) => {
    const [text = ''] = takeWords(words, 'tool call');
    const call = parseToolCall(text);
    const { channel, session } = flags;
    if (channel === undefined) {
      throw usageError({
        what: 'Missing option: --channel <channel>.',
        why: 'the rules depend on the channel a message comes from.',
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
  summary: 'show, set and test the rules for what agents may do',
  about: [
    'A rule is Tool or Tool(specifier), such as Read or Bash(git push).',
    'Rules are checked in this order: session, channel, server, then the channel’s defaults.',
    'The first match wins. Enforced rules of a channel or of the server always apply.',
  ],
  commands: { show, set, test },
};

const STYLES: Record<Decision, keyof Colours> = { allow: 'green', ask: 'yellow', deny: 'red' };

function printVerdict({ decision, reason }: Verdict, colours: Colours): void {
  printLine(`${colours[STYLES[decision]](decision)}: ${plainLine(spellOutUnseen(reason))}`);
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
      rule: spellOutUnseen(rule),
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
        what: `"${word}" is not a valid rule.`,
        why: 'a rule is allow, ask, deny, enforce-ask or enforce-deny, a colon, and Tool or Tool(specifier).',
        todo: 'write it as allow:Read or "deny:Bash(git push)".',
      });
    }
    rules[decision as Decision].push(rule);
    if (enforce) rules.enforced.push(rule);
  }
  return rules;
}
