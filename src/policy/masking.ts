import type { Json } from '../contract/json.ts';
import type { Masker, MaskStream } from './masker.ts';
import { assignmentRules } from './masking-assignment.ts';
import { CapitalsStream } from './masking-capitals.ts';
import { isSecretValue, kindOfName } from './masking-names.ts';
import { tokenRule } from './masking-pattern.ts';
import { MASKED, maskOf } from './masking-rule.ts';
import { bearerRule, lineRule, privateKeyRule, urlRule } from './masking-shapes.ts';
import { ruleBook, ScanStream } from './masking-stream.ts';
import { tokenNames, tokenRules } from './masking-tokens.ts';

export interface MaskingOptions {
  /** Masks every word of 20 capitals and digits, as the first design did. */
  readonly broadCapitals?: boolean;
  /** More tokens to know: a name for the mask, and a pattern (see masking-pattern.ts). */
  readonly patterns?: readonly { readonly name: string; readonly source: string }[];
  /** Told of each secret, by the name in its mask. */
  readonly onMasked?: (name: string) => void;
}

/** docs/masking.md says what is masked and what is not. Throws `invalid_request` for a bad pattern. */
export function createMasker(options: MaskingOptions = {}): Masker {
  const { broadCapitals = false, patterns = [], onMasked = () => {} } = options;
  const own = patterns.map(({ name, source }) => ({ name: maskName(name), source }));
  const book = ruleBook([
    ...own.map(tokenRule),
    ...tokenRules,
    bearerRule,
    privateKeyRule,
    urlRule,
    lineRule,
    ...assignmentRules,
  ]);
  const names = new Set([
    'MASKED',
    'PRIVATE_KEY',
    'LINE_TOKEN',
    ...tokenNames,
    ...own.map(({ name }) => name),
  ]);
  const masks = [...names].map(maskOf);

  const stream = (): MaskStream => {
    const scan = new ScanStream(book, onMasked);
    return broadCapitals ? new CapitalsStream(scan, onMasked) : scan;
  };
  return {
    mask(text) {
      const whole = stream();
      return whole.push(text) + whole.end();
    },
    stream,
    hasMask: (text) => masks.some((mask) => text.includes(mask)),
  };
}

const maskName = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'MASKED';

/** Masks every text in a JSON value, names of fields included, and what such a name says is secret. */
export function maskJson(masker: Masker, value: Json): Json {
  if (typeof value === 'string') return masker.mask(value);
  if (Array.isArray(value)) return value.map((each) => maskJson(masker, each));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      masker.mask(name),
      maskField(masker, name, field),
    ]),
  );
}

/** As it would be in the text `"name": "field"`. */
function maskField(masker: Masker, name: string, field: Json): Json {
  if (typeof field !== 'string' && typeof field !== 'number') return maskJson(masker, field);
  const kind = kindOfName(name);
  const masked = typeof field === 'string' ? masker.mask(field) : field;
  if (kind === null || masked !== field) return masked;
  const text = String(field);
  const secret =
    typeof field === 'string'
      ? isSecretValue(kind, name, text)
      : kind === 'password' && text.length >= 4;
  return secret && !masker.hasMask(text) ? MASKED : field;
}
