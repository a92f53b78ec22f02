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

export type Asked =
  | { readonly is: 'command'; readonly command: string; readonly about: string }
  | { readonly is: 'change'; readonly path: string; readonly changes: readonly TextChange[] }
  | { readonly is: 'write'; readonly path: string; readonly content: string }
  | { readonly is: 'address'; readonly url: string; readonly about: string }
  | { readonly is: 'questions'; readonly questions: readonly Question[] }
  | { readonly is: 'plan'; readonly plan: string }
  | { readonly is: 'other'; readonly fields: Fields };

export function askedOf({ kind, tool }: Pick<Approval, 'kind' | 'tool'>, input: Json): Asked {
  const fields = fieldsOf(input);
  const text = (name: string): string => textAt(fields, name);
  if (kind === 'question') return { is: 'questions', questions: questionsOf(fields) };
  if (kind === 'plan') return { is: 'plan', plan: text('plan') };
  switch (tool) {
    case 'Bash':
      if (text('command') === '') break;
      return { is: 'command', command: text('command'), about: text('description') };
    case 'Write':
      return { is: 'write', path: text('file_path'), content: text('content') };
    case 'Edit':
      return { is: 'change', path: text('file_path'), changes: [changeOf(fields)] };
    case 'MultiEdit':
      return {
        is: 'change',
        path: text('file_path'),
        changes: itemsOf(fields, 'edits').map(changeOf),
      };
    case 'NotebookEdit':
      return { is: 'write', path: text('notebook_path'), content: text('new_source') };
    case 'WebFetch':
      return { is: 'address', url: text('url'), about: text('prompt') };
    default:
  }
  return { is: 'other', fields };
}

const changeOf = (edit: Fields): TextChange => ({
  before: textAt(edit, 'old_string'),
  after: textAt(edit, 'new_string'),
});

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

/**
 * What would turn round or hide a part of a text is written out: a person decides by what they see.
 * Line breaks and tabs stay.
 */
export const visible = (text: string): string =>
  text.replace(
    /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)!.toString(16).padStart(4, '0')}}`,
  );
