import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import type { Approval, DecideApproval } from '../../contract/approval.ts';
import type { Json } from '../../contract/values/json.ts';
import { clientCommand, EXIT } from '../command.ts';
import { connectionFlags } from '../connection/connection.ts';
import { collected } from '../connection/pages.ts';
import { withServer } from '../connection/remote.ts';
import type { Arguments } from '../input/args.ts';
import { readJson } from '../input/json-input.ts';
import { takeWords } from '../input/positionals.ts';
import { distinctLength, type Listing, printList } from '../output/listing.ts';
import { printJson, printLine } from '../output/output.ts';
import { relativeTime } from '../output/relative-time.ts';
import { cardOf, codeLine, hiddenIn, questionsOf, summaryOf } from './approval-card.ts';
import { approvalsOf, findApproval } from './find-approval.ts';

const flags = {
  session: { help: 'with allow: also allow it for the rest of the session' },
  edit: {
    value: '<file>',
    schema: z.string().min(1),
    expected: 'the path of a JSON file, or - to read from standard input',
    help: 'with allow: use this input instead (a JSON file, or - to read from standard input)',
  },
  answer: {
    value: '<text>',
    schema: z.string().min(1).max(10_000),
    expected: 'text of at most 10,000 characters',
    help: 'with allow: the answer, if the agent asks a single question',
  },
  message: {
    value: '<text>',
    schema: z.string().min(1).max(10_000),
    expected: 'text of at most 10,000 characters',
    help: 'a message to the agent',
  },
  original: { help: 'with show: include masked secrets (recorded in the audit log)' },
  all: { short: 'a', help: 'include answered and withdrawn questions' },
  ...connectionFlags,
} as const;
type Flags = Arguments<typeof flags>['flags'];

export const approve = clientCommand({
  summary: 'list and answer questions from agents',
  usage: '[flags] [show <id> | <id> allow | <id> deny]',
  about: [
    'Without arguments, lists the open questions. A unique prefix of an id is enough.',
    'baton approve show 0199f3a2 --original     the whole question, including secrets',
    'baton approve 0199f3a2 allow --session     allow it now and for the rest of the session',
    'baton approve 0199f3a2 deny --message "…"  deny it and say why',
    'baton approve 0199f3a2 allow --edit -      allow it with different input, read from standard input',
  ],
  flags,
  run: async (given) => {
    const { flags, words } = given;
    if (words.length === 0) await list(flags);
    else if (words[0] === 'show') await show(flags, words.slice(1));
    else await answer(flags, words);
    return EXIT.ok;
  },
});

async function list(flags: Flags): Promise<void> {
  const query = flags.all ? {} : { state: 'pending' as const };
  const items = await withServer(flags, (client) => collected(approvalsOf(client, query)));
  printList(items, flags.json, listingOf(items));
}

async function show(flags: Flags, words: readonly string[]): Promise<void> {
  const [reference = ''] = takeWords(words, 'id');
  const approval = await withServer(flags, async (client) => {
    const masked = await findApproval(client, reference);
    if (!flags.original) return masked;
    const original = await client.revealApproval({ params: { id: masked.id } });
    return { ...masked, ...original, masked: false };
  });
  if (flags.json) printJson(approval);
  else for (const line of cardOf(approval)) printLine(line);
}

async function answer(flags: Flags, words: readonly string[]): Promise<void> {
  const [reference = '', decision] = takeWords(words, 'id', 'allow|deny');
  if (decision !== 'allow' && decision !== 'deny') {
    throw usageError({
      what: `"${decision}" is not a valid answer.`,
      why: 'a question is answered with allow or deny.',
      todo: `write "baton approve ${reference} allow" or "baton approve ${reference} deny".`,
    });
  }
  if (decision === 'deny') refuseForDeny(flags);
  const given = flags.edit === undefined ? undefined : await readJson(flags.edit, Input, INPUT);
  const decided = await withServer(flags, async (client) => {
    const approval = await findApproval(client, reference);
    return decide(client, approval, decision, flags, given);
  });
  if (flags.json) return printJson(decided);
  for (const line of outcomeOf(decided)) printLine(line);
  if (decided.masked && decided.state === 'allowed') printLine(hiddenIn(decided));
}

/** Shows the input that is actually used, which may have been edited. */
function outcomeOf(decided: Approval): string[] {
  const { state, kind, editedInput, sessionRule } = decided;
  if (state !== 'allowed') return [`Denied: ${summaryOf(decided)}`];
  if (kind === 'question') return [`Answered: ${summaryOf(decided)}`];
  if (editedInput !== null) {
    return [`Allowed with edited input: ${summaryOf({ ...decided, input: editedInput })}`];
  }
  const later = decided.scope === 'session' && sessionRule !== null;
  return [
    `Allowed: ${summaryOf(decided)}`,
    ...(later ? [`From now on this session allows ${codeLine(sessionRule)}.`] : []),
  ];
}

function refuseForDeny(flags: Flags): void {
  const wrong = (['session', 'edit', 'answer'] as const).find(
    (name) => flags[name] !== undefined && flags[name] !== false,
  );
  if (wrong === undefined) return;
  throw usageError({
    what: `--${wrong} cannot be combined with deny.`,
    why: 'a denial applies once, and accepts only --message.',
    todo: 'leave it out; to always deny this, use "baton policy set".',
  });
}

const Input = z.record(z.string(), z.unknown() as z.ZodType<Json>);
const INPUT = 'a JSON object like the "input" of "baton approve show <id> --json"';

function decide(
  client: Client,
  approval: Approval,
  decision: DecideApproval['decision'],
  flags: Flags,
  edited: Record<string, Json> | undefined,
): Promise<Approval> {
  const input =
    edited ?? (flags.answer === undefined ? undefined : answersOf(approval, flags.answer));
  return client.decideApproval({
    params: { id: approval.id },
    body: {
      decision,
      scope: flags.session ? 'session' : 'once',
      ...(flags.message === undefined ? {} : { message: flags.message }),
      ...(input === undefined ? {} : { input }),
    },
  });
}

function answersOf({ input }: Approval, text: string): Record<string, Json> {
  const questions = questionsOf(input);
  const question = questions[0]?.['question'];
  if (questions.length === 1 && typeof question === 'string')
    return { answers: { [question]: text } };
  throw usageError({
    what: '--answer cannot be used here.',
    why:
      questions.length === 0
        ? 'the agent did not ask a question.'
        : 'the agent asked several questions.',
    todo:
      questions.length === 0
        ? 'leave it out; to write to the agent, use --message.'
        : 'give the answers as JSON: echo \'{"answers": {"question": "answer"}}\' | baton approve <id> allow --edit -',
  });
}

function listingOf(items: readonly Approval[]): Listing<Approval> {
  const idLength = distinctLength(items.map(({ id }) => id));
  return {
    columns: [
      { head: 'ID', text: ({ id }) => id.slice(0, idLength) },
      {
        head: 'STATE',
        text: ({ state }) => (state === 'pending' ? '' : state),
        style: ({ state }, { green, red, dim }) =>
          state === 'allowed' ? green : state === 'denied' ? red : dim,
      },
      { head: 'REQUEST', text: summaryOf, flexible: true },
      { head: 'WHY', text: ({ reason }) => reason, flexible: true },
      { head: 'ASKED', text: ({ createdAt }) => relativeTime(createdAt, Date.now()) },
      { head: 'SESSION', text: ({ sessionId }) => sessionId.slice(0, 13) },
    ],
    fields: (each) => [
      each.id,
      each.state,
      each.tool,
      summaryOf(each),
      each.sessionId,
      each.runId,
      each.createdAt,
      each.decidedBy,
    ],
    empty: 'No questions.',
  };
}
