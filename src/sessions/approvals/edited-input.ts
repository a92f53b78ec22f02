import type { ApprovalKind } from '../../contract/approval.ts';
import { BatonError } from '../../contract/errors.ts';
import type { Json } from '../../contract/values/json.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import type { SecretBox } from '../../secrets/box.ts';

/* Tool input as edited by the approver, used in place of what the agent proposed (A7). */

type Fields = { readonly [key: string]: Json };

export interface Asked {
  readonly sessionId: string;
  readonly kind: ApprovalKind;
  readonly input: Json;
}

/** The stored form: masked, with the encrypted original if masking changed it (P4). */
export interface StoredInput {
  readonly editedInput: Json;
  readonly sealedInput: string | null;
}

export function storeInput(
  asked: Asked,
  given: Fields,
  tools: {
    readonly masker: Masker;
    readonly maskCall: (input: Json) => Json;
    readonly box: SecretBox;
  },
): StoredInput {
  refuseMasks(given, tools.masker);
  // Answers need not repeat the questions.
  const input = asked.kind === 'question' ? { ...fieldsOf(asked.input), ...given } : given;
  mustHaveShape(fieldsOf(asked.input), input, []);
  if (asked.kind === 'question') mustAnswer(input);
  const editedInput = tools.maskCall(input);
  const text = JSON.stringify(input);
  if (JSON.stringify(editedInput) === text) return { editedInput, sealedInput: null };
  return { editedInput, sealedInput: tools.box.seal(text, sealedAs(asked.sessionId)) };
}

/**
 * The same context as for messages, because the input is decrypted in the same way (messages.ts).
 */
const sealedAs = (sessionId: string): string => `message in ${sessionId}`;

const fieldsOf = (input: Json): Fields => (isFields(input) ? input : {});

const isFields = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf(value: Json | undefined): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const wrong = (path: readonly string[], why: string): BatonError => {
  const field = ['input', ...path].join('.');
  return new BatonError('invalid_input', `${field}: ${why}`, { details: { field } });
};

/**
 * Requires every field of the original input, with the same type; new fields are left to the tool.
 */
function mustHaveShape(asked: Fields, given: Fields, path: readonly string[]): void {
  for (const [key, was] of Object.entries(asked)) {
    const here = [...path, key];
    const is = Object.hasOwn(given, key) ? given[key] : undefined;
    if (is === undefined) throw wrong(here, 'is missing; the original input has it');
    if (was === null) continue;
    if (typeOf(is) !== typeOf(was)) {
      throw wrong(here, `is of type ${typeOf(is)}, not ${typeOf(was)}`);
    }
    if (isFields(was)) mustHaveShape(was, is as Fields, here);
    else if (Array.isArray(was)) mustHaveItems(was, is as Json[], here);
  }
}

function mustHaveItems(was: readonly Json[], is: readonly Json[], path: readonly string[]): void {
  const types = new Set(was.map(typeOf));
  const odd = is.findIndex((item) => types.size > 0 && !types.has(typeOf(item)));
  if (odd === -1) return;
  throw wrong([...path, String(odd)], `is of type ${typeOf(is[odd])}, not ${[...types].join('/')}`);
}

/** Every answered question must have text as its answer. */
function mustAnswer({ answers }: Fields): void {
  if (!isFields(answers) || Object.keys(answers).length === 0) {
    throw wrong(['answers'], 'is not an object with an answer for each question');
  }
  for (const [question, answer] of Object.entries(answers)) {
    if (typeof answer !== 'string') throw wrong(['answers', question], 'is not a string');
  }
}

function refuseMasks(value: Json, masker: Masker, path: readonly string[] = ['input']): void {
  if (typeof value === 'string') {
    if (!masker.hasMask(value)) return;
    throw new BatonError('contains_mask', undefined, { details: { field: path.join('.') } });
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) refuseMasks(item, masker, [...path, key]);
}
