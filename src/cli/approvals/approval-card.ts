import { spellOutUnseen, spellOutUnseenInProse } from '../../client/spell-out-unseen.ts';
import type { Approval } from '../../contract/approval.ts';
import type { Json } from '../../contract/values/json.ts';
import { type Colours, coloursFor } from '../output/style.ts';
import { plainLine, plainText } from '../output/terminal-filter.ts';

/*
 * Shows an agent's question to a person. Control codes in the question must neither reach the
 * terminal nor hide anything. The filter would drop the codes along with their content, so they are
 * first written out as text.
 */

/** Longer text is truncated; `--json` shows it in full. */
const LINES_MAX = 60;

type Fields = { readonly [key: string]: Json };

/** The question on one line. */
export function summaryOf({ tool, kind, input }: Approval): string {
  const fields = fieldsOf(input);
  if (kind === 'question') return proseLine(textAt(questionsOf(fields)[0] ?? {}, 'question'));
  const main = MAIN.map((name) => textAt(fields, name)).find((text) => text !== '');
  return codeLine(`${tool} ${main ?? JSON.stringify(input)}`);
}

/** The fields that best describe a call, in order of preference. */
const MAIN = ['command', 'file_path', 'notebook_path', 'url', 'query', 'pattern', 'path', 'plan'];

/** Everything that a person needs in order to decide. */
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
      : ['', dim('changed to:'), ...bodyOf(approval, approval.editedInput, colours)]),
  ];
}

/** Says that part of what will run is not shown. */
export const hiddenIn = ({ id }: Approval): string =>
  `Part of this is hidden: masks such as ***MASKED*** stand for secrets, so what runs differs from what you see.\nTo see everything: baton approve show ${id} --original`;

const TITLES: Record<Approval['kind'], string> = {
  tool: 'The agent wants to use ',
  question: 'The agent asks',
  plan: 'The agent proposes a plan',
};

function stateOf({ state, scope, decidedBy }: Approval): string {
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  return `${state}${by}${scope === 'session' ? ', for the session' : ''}`;
}

/** Says which later calls `--session` would allow; they may differ from this call. */
function laterOf({ state, tool, sessionRule: rule }: Approval): string | null {
  if (state !== 'pending' || rule === null) return null;
  return `--session allows ${spellOutUnseen(rule)}${rule === tool ? ', with any input' : ''}`;
}

function bodyOf({ tool, kind }: Approval, input: Json, colours: Colours): string[] {
  const fields = fieldsOf(input);
  if (kind === 'question') return questionsOf(fields).flatMap((each) => questionLines(each));
  if (kind === 'plan')
    return [...cut(linesOf(textAt(fields, 'plan'))), ...others(fields, ['plan'])];
  const command = textAt(fields, 'command');
  if (command !== '' && COMMANDS.includes(tool)) {
    const lines = cut(linesOf(command, spellOutUnseen)).map((line) => `  $ ${line}`);
    return [...lines, ...others(fields, ['command', 'description'])];
  }
  const change = Object.hasOwn(CHANGES, tool) ? CHANGES[tool] : undefined;
  if (change !== undefined) return changeLines(fields, change, colours);
  return cut(linesOf(JSON.stringify(input, null, 2))).map((line) => `  ${line}`);
}

/**
 * The remaining fields, so that no part of a call is left out. Includes `shown` fields that are not
 * text, because only text is displayed elsewhere.
 */
const others = (fields: Fields, shown: readonly string[], indent = '  '): string[] =>
  cut(
    Object.entries(fields)
      .filter(([name, value]) => !(shown.includes(name) && typeof value === 'string'))
      .flatMap(([name, value]) => linesOf(`${indent}${name}: ${JSON.stringify(value)}`)),
  );

const COMMANDS: readonly string[] = ['Bash', 'Monitor'];

/**
 * The fields with which a tool changes a file. A field that belongs to another tool has no effect,
 * and is listed with the remaining ones.
 */
interface Change {
  readonly file: string;
  readonly removed?: string;
  readonly added: string;
  /** The field that holds a list of changes, if the tool accepts several. */
  readonly list?: string;
}
const CHANGES: Readonly<Record<string, Change>> = {
  Write: { file: 'file_path', added: 'content' },
  Edit: { file: 'file_path', removed: 'old_string', added: 'new_string' },
  MultiEdit: { file: 'file_path', removed: 'old_string', added: 'new_string', list: 'edits' },
  NotebookEdit: { file: 'notebook_path', added: 'new_source' },
};

/** The file, and the lines that are removed from it and added to it. */
function changeLines(fields: Fields, change: Change, { red, green }: Colours): string[] {
  const { file, removed = '', added, list = '' } = change;
  const { [list]: edits, ...rest } = fields;
  const isList = Array.isArray(edits) && edits.every((edit) => fieldsOf(edit) === edit);
  const texts = (of: Fields): string[] => [
    ...linesOf(textAt(of, removed)).map((line) => red(`  - ${line}`)),
    ...linesOf(textAt(of, added)).map((line) => green(`  + ${line}`)),
  ];
  const path = codeLine(textAt(fields, file));
  if (!isList) {
    const shown = list === '' ? [file, removed, added] : [file];
    return [`  ${path}`, ...(list === '' ? cut(texts(fields)) : []), ...others(fields, shown)];
  }
  const lines = edits.map(fieldsOf).flatMap((edit) => {
    return [...texts(edit), ...others(edit, [removed, added], '    ')];
  });
  return [`  ${path}`, ...cut(lines), ...others(rest, [file])];
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
