import type { Json } from '../../contract/values/json.ts';
import type { Masker } from './masker.ts';
import { coverValue } from './masking.ts';
import { isSecretValue, type Kind, kindOfName } from './names.ts';
import { MASKED } from './rule.ts';

type Fields = { readonly [name: string]: Json };

/** How to mask a string, and how to hide the value of a secret field. */
interface How {
  readonly text: (text: string) => string;
  readonly value: (value: string) => string;
  readonly hasMask: (text: string) => boolean;
}

/**
 * Masks every string in a JSON value, including field names, and the values of fields whose names
 * mark them as secret.
 */
export const maskJson = (masker: Masker, value: Json): Json =>
  maskAll({ text: masker.mask, value: () => MASKED, hasMask: masker.hasMask }, value, null);

/**
 * Like `maskJson`, but for the input of a tool call: no mask covers shell syntax or a line break
 * (P4).
 */
export const maskCallJson = (masker: Masker, value: Json): Json => {
  const { maskCall, hasMask } = masker;
  const cover = (secret: string): string => coverValue(masker, secret);
  return maskAll({ text: maskCall, value: cover, hasMask }, value, null);
};

/** What the name of a value's own field, or of an enclosing field, says about the value. */
interface Secret {
  readonly kind: Kind;
  readonly name: string;
  /** Whether it is the name of an enclosing field. */
  readonly inherited: boolean;
}

function maskAll(how: How, value: Json, secret: Secret | null): Json {
  if (typeof value === 'string' || typeof value === 'number') return maskOne(how, value, secret);
  if (Array.isArray(value)) return value.map((each) => maskAll(how, each, secret));
  if (value === null || typeof value !== 'object') return value;
  const above = secret === null || isSchema(value) ? null : { ...secret, inherited: true };
  const pair = kindOfPair(value);
  const unique = uniqueNames();
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const kind = (/^value$/i.test(name) ? pair : null) ?? kindOfName(name);
      const says = kind === null ? above : { kind, name, inherited: false };
      return [unique(how.text(name)), maskAll(how, field, says)];
    }),
  );
}

/**
 * Adds a number to field names that masking made equal; otherwise only the last field would be
 * shown.
 */
function uniqueNames(): (name: string) => string {
  const used = new Set<string>();
  const nextNumber = new Map<string, number>();
  return (name) => {
    let unique = name;
    for (let number = nextNumber.get(name) ?? 2; used.has(unique); number++) {
      unique = `${name} (${number})`;
      nextNumber.set(name, number + 1);
    }
    used.add(unique);
    return unique;
  };
}

/** Masks a value as if it were in the text `"name": "value"`. */
function maskOne(how: How, value: string | number, secret: Secret | null): Json {
  const masked = typeof value === 'string' ? how.text(value) : value;
  if (secret === null || how.hasMask(String(value)) || isAllMasks(masked)) return masked;
  return isSecret(value, secret) ? how.value(String(value)) : masked;
}

/** True if nothing is visible but masks and the word before a credential. */
const isAllMasks = (masked: string | number): boolean =>
  /^\s*(?:(?:bearer|basic|token|digest|apikey)\s+)?(?:\*{3}[A-Z][A-Z0-9_]*\*{3}\s*)+$/i.test(
    String(masked),
  );

function isSecret(value: string | number, { kind, name, inherited }: Secret): boolean {
  const text = String(value);
  if (typeof value === 'number') return kind === 'password' && !inherited && text.length >= 4;
  if (!isSecretValue(kind, name, text)) return false;
  // An enclosing field with a secret name may also contain names, states and human-readable text.
  return !inherited || (!/\s/.test(text) && (kind === 'password' || /[^A-Za-z_-]/.test(text)));
}

/** `{"name": "DB_PASSWORD", "value": …}`. */
function kindOfPair(fields: Fields): Kind | null {
  const named = Object.entries(fields).find(([name]) => /^(?:name|key)$/i.test(name));
  return typeof named?.[1] === 'string' ? kindOfName(named[1]) : null;
}

/** A schema describes a password but contains none. */
const isSchema = (fields: Fields): boolean =>
  ['type', '$ref', 'description', 'anyOf', 'oneOf', 'enum'].some((name) => name in fields);
