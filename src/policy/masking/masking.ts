import { assignmentRules } from './assignment.ts';
import { bearerRule } from './bearer.ts';
import { CapitalsStream } from './capitals.ts';
import { formatRules } from './formats.ts';
import { lineRule } from './line-token.ts';
import { KnownSecrets, LiteralStream, literalsOf } from './literals.ts';
import type { Masker, MaskStream } from './masker.ts';
import { tokenRule } from './pattern.ts';
import { privateKeyRule } from './private-key.ts';
import { MASKED, maskOf } from './rule.ts';
import { ruleBook, ScanStream } from './stream.ts';
import { tokenNames, tokenRules } from './token-prefixes.ts';
import { callCover, coverKnown, maskKeyLines } from './tool-call.ts';
import { urlRule } from './url-credentials.ts';

export interface MaskingOptions {
  /** Masks every word of 20 capitals and digits, as the first design did. */
  readonly broadCapitals?: boolean;
  /** Additional kinds of token, each with a name for the mask and a pattern (see pattern.ts). */
  readonly patterns?: readonly { readonly name: string; readonly source: string }[];
  /** Called for each secret, with the name that its mask contains. */
  readonly onMasked?: (name: string) => void;
}

export interface ServerMasker extends Masker {
  /**
   * From now on, also masks these values wherever they appear if they are at least 12 characters
   * long.
   */
  hide(values: readonly string[]): void;
}

/** docs/masking.md says what is masked and what is not. Throws `invalid_request` for a bad pattern. */
export function createMasker(options: MaskingOptions = {}): ServerMasker {
  const { broadCapitals = false, patterns = [], onMasked = () => {} } = options;
  const own = patterns.map(({ name, source }) => ({ name: maskName(name), source }));
  const rules = [
    ...own.map(tokenRule),
    ...tokenRules,
    bearerRule,
    urlRule,
    lineRule,
    ...formatRules,
  ];
  const book = ruleBook([privateKeyRule, ...rules, ...assignmentRules({ inCall: false })]);
  // In calls, maskKeyLines masks private keys, in place of privateKeyRule.
  const callBook = ruleBook([...rules, ...assignmentRules({ inCall: true })]);
  const names = new Set([
    'MASKED',
    'PRIVATE_KEY',
    'LINE_TOKEN',
    ...tokenNames,
    ...own.map(({ name }) => name),
  ]);
  const masks = [...names].map(maskOf);
  const values: string[] = [];
  let known: KnownSecrets | null = null;

  const capitals = (inner: MaskStream): MaskStream =>
    broadCapitals ? new CapitalsStream(inner, onMasked) : inner;
  const whole = (stream: MaskStream, text: string): string => stream.push(text) + stream.end();
  const stream = (): MaskStream => {
    const scan = capitals(new ScanStream(book, onMasked));
    return known === null ? scan : new LiteralStream(scan, known);
  };
  return {
    mask: (text) => whole(stream(), text),
    maskCall(text) {
      const shown = known === null ? text : known.read(text, true, coverKnown).masked;
      const lines = maskKeyLines(shown, maskOf('PRIVATE_KEY'), () => onMasked('PRIVATE_KEY'));
      const masked = new ScanStream(callBook, onMasked, callCover).whole(lines);
      return broadCapitals ? whole(new CapitalsStream(ECHO, onMasked), masked) : masked;
    },
    stream,
    hasMask: (text) => masks.some((mask) => text.includes(mask)),
    hide(more) {
      values.push(...more);
      const texts = literalsOf(values);
      // A token of a known type keeps its type's mask.
      const nameOf = (text: string): string => {
        const alone = new ScanStream(book, () => {}).whole(text);
        return masks.includes(alone) ? alone.slice(3, -3) : 'MASKED';
      };
      const literals = texts.map((text) => ({ text, name: nameOf(text) }));
      known = texts.length === 0 ? null : new KnownSecrets(literals, onMasked);
    },
  };
}

const ECHO: MaskStream = { push: (piece) => piece, end: () => '' };

/** Masks as much of a tool call's value as a mask may cover. */
export function coverValue(masker: Masker, value: string): string {
  const end = callCover.mayBegin(value, 0) ? callCover.end(value, 0, value.length) : 0;
  return (end === 0 ? '' : MASKED) + masker.maskCall(value.slice(end));
}

const maskName = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'MASKED';
