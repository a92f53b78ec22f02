import { spellOutUnseen, spellOutUnseenInProse } from '../../client/spell-out-unseen.ts';
import type { Approval } from '../../contract/approval.ts';
import type { Json } from '../../contract/json.ts';
import { type Colours, coloursFor } from '../output/style.ts';
import { plainLine, plainText } from '../output/terminal-filter.ts';

/*
 * Shows an agent's question to a person. Control codes in it must neither reach the terminal nor
 * hide anything, so they are written out as text before the filter, which would drop them along
 * with their content.
 */

/** Longer text is truncated; `--json` shows it in full. */
const LINES_MAX = 60;

type Fields = { readonly [key: string]: Json };

/** The question in one line. */
export function summaryOf({ tool, kind, input }: Approval): string {
  const fields = fieldsOf(input);
  if (kind === 'question') return proseLine(textAt(questionsOf(fields)[0] ?? {}, 'question'));
  const main = MAIN.map((name) => textAt(fields, name)).find((text) => text !== '');
  return codeLine(`${tool} ${main ?? JSON.stringify(input)}`);
}

/** The fields that describe a call best, in order of preference. */
const MAIN = ['command', 'file_path', 'notebook_path', 'url', 'query', 'pattern', 'path', 'plan'];

/** Everything needed to decide. */
export function cardOf(approval: Approval, colours = coloursFor(process.stdout, process.env)) {
  const { dim, yellow } = colours;
  const about: [string, string | null][] = [
    ['id', approval.id],
    ['session', approval.sessionId],
    ['run', approval.runId],
    ['why', approval.reason],
    ['state', stateOf(approval)],
    ['message', approval.message],
    ['later', laterOf(approval)],
  ];
  return [
    `${TITLES[approval.kind]}${approval.kind === 'tool' ? codeLine(approval.tool) : ''}`,
    ...about.flatMap(([name, text]) =>
      text === null ? [] : [`${dim(name.padEnd(8))} ${proseLine(text)}`],
    ),
    ...(approval.masked ? [yellow(hiddenIn(approval))] : []),
    '',
    ...bodyOf(approval, approval.input, colours),
    ...(approval.editedInput === null
      ? []
      : ['', dim('used instead:'), ...bodyOf(approval, approval.editedInput, colours)]),
  ];
}

/** Says that part of what will run is not shown. */
export const hiddenIn = ({ id }: Approval): string =>
  `Part of this is hidden: masks such as ***MASKED*** replace secrets, which are part of what runs.\nTo see everything: baton approve show ${id} --original`;

const TITLES: Record<Approval['kind'], string> = {
  tool: 'The agent wants to use ',
  question: 'The agent asks',
  plan: 'The agent proposes a plan',
};

function stateOf({ state, scope, decidedBy }: Approval): string {
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  return `${state}${by}${scope === 'session' ? ', for the session' : ''}`;
}

/** What `--session` would allow later, which may be more than this call. */
function laterOf({ state, tool, sessionRule: rule }: Approval): string | null {
  if (state !== 'pending' || rule === null) return null;
  return `--session allows ${spellOutUnseen(rule)}${rule === tool ? ', with any input' : ''}`;
}

function bodyOf({ tool, kind }: Approval, input: Json, colours: Colours): string[] {
  const fields = fieldsOf(input);
  if (kind === 'question') return questionsOf(fields).flatMap((each) => questionLines(each));
  if (kind === 'plan') return cut(linesOf(textAt(fields, 'plan')));
  const command = textAt(fields, 'command');
  if (command !== '' && COMMANDS.includes(tool)) {
    const lines = cut(linesOf(command, spellOutUnseen)).map((line) => `  $ ${line}`);
    return [...lines, ...others(fields, ['command', 'description'])];
  }
  const file = textAt(fields, 'file_path') || textAt(fields, 'notebook_path');
  if (file !== '' && EDITS.includes(tool))
    return [`  ${codeLine(file)}`, ...diff(fields, colours), ...others(fields, SHOWN)];
  return cut(linesOf(JSON.stringify(input, null, 2))).map((line) => `  ${line}`);
}

/** The remaining fields, so that no part of a call is left out. */
const others = (fields: Fields, shown: readonly string[]): string[] =>
  cut(
    Object.entries(fields)
      .filter(([name]) => !shown.includes(name))
      .flatMap(([name, value]) => linesOf(`  ${name}: ${JSON.stringify(value)}`)),
  );

const SHOWN = 'file_path notebook_path edits old_string new_string content new_source'.split(' ');
const COMMANDS: readonly string[] = ['Bash', 'Monitor'];
const EDITS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/** Removed and added lines, as far as the call contains them. */
function diff(fields: Fields, { red, green }: Colours): string[] {
  const edits = Array.isArray(fields['edits']) ? fields['edits'].map(fieldsOf) : [fields];
  return cut(
    edits.flatMap((edit) => {
      const added = ['new_string', 'content', 'new_source'].map((name) => textAt(edit, name));
      return [
        ...linesOf(textAt(edit, 'old_string')).map((line) => red(`  - ${line}`)),
        ...linesOf(added.find((text) => text !== '') ?? '').map((line) => green(`  + ${line}`)),
      ];
    }),
  );
}

export const questionsOf = (input: Json): Fields[] => {
  const { questions } = fieldsOf(input);
  return Array.isArray(questions) ? questions.map(fieldsOf) : [];
};

function questionLines(question: Fields): string[] {
  const { options } = question;
  const choices = Array.isArray(options) ? options.map(fieldsOf) : [];
  return [
    `  ${proseLine(textAt(question, 'question'))}`,
    ...choices.map((each) => {
      const about = textAt(each, 'description');
      return `    - ${proseLine(textAt(each, 'label'))}${about === '' ? '' : `: ${proseLine(about)}`}`;
    }),
  ];
}

/** A command, a path or a rule on one line. */
export const codeLine = (text: string): string => plainLine(spellOutUnseen(text));

const proseLine = (text: string): string => plainLine(spellOutUnseenInProse(text));

const linesOf = (text: string, shown = spellOutUnseenInProse): string[] =>
  text === '' ? [] : plainText(shown(text)).trimEnd().split('\n');

const cut = (lines: string[]): string[] =>
  lines.length <= LINES_MAX
    ? lines
    : [...lines.slice(0, LINES_MAX), `  … ${lines.length - LINES_MAX} more lines (--json)`];

const fieldsOf = (value: Json): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const textAt = (fields: Fields, name: string): string => {
  const value = Object.hasOwn(fields, name) ? fields[name] : '';
  return typeof value === 'string' ? value : '';
};
