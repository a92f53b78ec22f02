import type { Approval } from '../../src/contract/approval.ts';
import type { Json } from '../../src/contract/values/json.ts';

/* Parses a tool call into the form shown to users. */

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

/** `fields` are those not shown in any other way, so that no part of a call is left out. */
export type ToolCall = { readonly fields: Fields } & (
  | { readonly is: 'command'; readonly command: string; readonly about: string }
  | { readonly is: 'change'; readonly path: string; readonly changes: readonly TextChange[] }
  | { readonly is: 'write'; readonly path: string; readonly content: string }
  | { readonly is: 'address'; readonly url: string }
  | { readonly is: 'questions'; readonly questions: readonly Question[] }
  | { readonly is: 'plan'; readonly plan: string }
  | { readonly is: 'other' }
);

export function parseToolCall(
  { kind, tool }: Pick<Approval, 'kind' | 'tool'>,
  input: Json,
): ToolCall {
  const all = fieldsOf(input);
  const text = (name: string): string => textAt(all, name);
  const but = (...shown: string[]): { fields: Fields } => ({ fields: remaining(all, shown) });
  // Asking a question has no side effects; the user just answers it.
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
        fields: remainingOfEdits(remaining(all, ['file_path'])),
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

/** Only text fields are shown elsewhere; anything else is listed as it is. */
const remaining = (fields: Fields, shown: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !(shown.includes(name) && typeof value === 'string'),
    ),
  );

/** The fields of each edit other than its text, such as `replace_all`. */
function remainingOfEdits({ edits, ...fields }: Fields): Fields {
  if (!Array.isArray(edits)) return edits === undefined ? fields : { ...fields, edits };
  const odd = edits.flatMap((edit: Json, at): [string, Json][] => {
    if (fieldsOf(edit) !== edit) return [[`edits.${at}`, edit]];
    const left = Object.entries(remaining(edit, CHANGED));
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

/** A call on one line. */
export function lineOf(call: ToolCall, tool: string): string {
  switch (call.is) {
    case 'command':
      return call.command;
    case 'change':
    case 'write':
      return call.path;
    case 'address':
      return call.url;
    case 'plan':
      return call.plan;
    case 'questions':
      return call.questions.map(({ question }) => question).join(' ');
    case 'other':
      return `${tool} ${JSON.stringify(call.fields)}`;
  }
}

/** A mask replaces a secret; the call that runs contains the secret itself. */
const MASK = /\*{3}[A-Z][A-Z0-9_]*\*{3}/g;

/** The distinct masks in an input. */
export const masksIn = (input: Json): string[] => [
  ...new Set(JSON.stringify(input).match(MASK) ?? []),
];
