import type { Approval } from '../../src/contract/approval.ts';
import type { Json } from '../../src/contract/json.ts';

/* What an agent asks for, in the shape a person is shown it in. */

export type Fields = { readonly [key: string]: Json };

export interface Choice {
  readonly label: string;
  readonly about: string;
}
export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly Choice[];
  readonly many: boolean;
}
export interface TextChange {
  readonly before: string;
  readonly after: string;
}

/** `fields` are those that are not told otherwise: nothing that is decided about is left out. */
export type Asked = { readonly fields: Fields } & (
  | { readonly is: 'command'; readonly command: string; readonly about: string }
  | { readonly is: 'change'; readonly path: string; readonly changes: readonly TextChange[] }
  | { readonly is: 'write'; readonly path: string; readonly content: string }
  | { readonly is: 'address'; readonly url: string }
  | { readonly is: 'questions'; readonly questions: readonly Question[] }
  | { readonly is: 'plan'; readonly plan: string }
  | { readonly is: 'other' }
);

export function askedOf({ kind, tool }: Pick<Approval, 'kind' | 'tool'>, input: Json): Asked {
  const all = fieldsOf(input);
  const text = (name: string): string => textAt(all, name);
  const but = (...told: string[]): { fields: Fields } => ({ fields: untold(all, told) });
  // Nothing is done by it; what a person decides is the answer.
  if (kind === 'question') return { is: 'questions', questions: questionsOf(all), fields: {} };
  if (kind === 'plan') return { is: 'plan', plan: text('plan'), ...but('plan') };
  switch (tool) {
    case 'Bash':
      if (text('command') === '') break;
      return {
        is: 'command',
        command: text('command'),
        about: text('description'),
        ...but('command', 'description'),
      };
    case 'Write':
      return {
        is: 'write',
        path: text('file_path'),
        content: text('content'),
        ...but('file_path', 'content'),
      };
    case 'Edit':
      return {
        is: 'change',
        path: text('file_path'),
        changes: [changeOf(all)],
        ...but('file_path', ...CHANGED),
      };
    case 'MultiEdit':
      return {
        is: 'change',
        path: text('file_path'),
        changes: itemsOf(all, 'edits').map(changeOf),
        fields: untoldOfEdits(untold(all, ['file_path'])),
      };
    case 'NotebookEdit':
      return {
        is: 'change',
        path: text('notebook_path'),
        changes: [{ before: '', after: text('new_source') }],
        ...but('notebook_path', 'new_source'),
      };
    case 'WebFetch':
      return { is: 'address', url: text('url'), ...but('url') };
    default:
  }
  return { is: 'other', fields: input === null || fieldsOf(input) === input ? all : { input } };
}

const CHANGED = ['old_string', 'new_string'];

const changeOf = (edit: Fields): TextChange => ({
  before: textAt(edit, 'old_string'),
  after: textAt(edit, 'new_string'),
});

/** What is told is told as text; a field that holds anything else stands for itself. */
const untold = (fields: Fields, told: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !(told.includes(name) && typeof value === 'string'),
    ),
  );

/** Of each change what is not its texts, such as that it is made everywhere. */
function untoldOfEdits({ edits, ...fields }: Fields): Fields {
  if (!Array.isArray(edits)) return edits === undefined ? fields : { ...fields, edits };
  const odd = edits.flatMap((edit: Json, at): [string, Json][] => {
    if (fieldsOf(edit) !== edit) return [[`edits.${at}`, edit]];
    const left = Object.entries(untold(edit, CHANGED));
    return left.map(([name, value]) => [`edits.${at}.${name}`, value]);
  });
  return { ...fields, ...Object.fromEntries(odd) };
}

const questionsOf = (fields: Fields): Question[] =>
  itemsOf(fields, 'questions').map((each) => ({
    question: textAt(each, 'question'),
    header: textAt(each, 'header'),
    options: itemsOf(each, 'options').map((option) => ({
      label: textAt(option, 'label'),
      about: textAt(option, 'description'),
    })),
    many: each['multiSelect'] === true,
  }));

const itemsOf = (fields: Fields, name: string): Fields[] => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return Array.isArray(value) ? value.map(fieldsOf) : [];
};

export const fieldsOf = (value: Json): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const textAt = (fields: Fields, name: string): string => {
  const value = Object.hasOwn(fields, name) ? fields[name] : '';
  return typeof value === 'string' ? value : '';
};

/** What is asked in one line. */
export function lineOf(asked: Asked, tool: string): string {
  switch (asked.is) {
    case 'command':
      return asked.command;
    case 'change':
    case 'write':
      return asked.path;
    case 'address':
      return asked.url;
    case 'plan':
      return asked.plan;
    case 'questions':
      return asked.questions.map(({ question }) => question).join(' ');
    case 'other':
      return `${tool} ${JSON.stringify(asked.fields)}`;
  }
}

/** A mask stands where a secret was found; what runs has what is behind it. */
const MASK = /\*{3}[A-Z][A-Z0-9_]*\*{3}/g;

/** The masks in what is shown, each once. */
export const masksIn = (input: Json): string[] => [
  ...new Set(JSON.stringify(input).match(MASK) ?? []),
];
