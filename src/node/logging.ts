import type { Json } from '../contract/values/json.ts';
import { maskJson } from '../policy/masking/json.ts';
import type { Masker } from '../policy/masking/masker.ts';

/**
 * Masks one line of a log. The line is parsed first, because JSON text escapes line ends and quotes
 * inside a secret, and a mask could swallow the end of a field.
 */
export const maskLines =
  (masker: Masker) =>
  (line: string): string =>
    `${JSON.stringify(maskJson(masker, JSON.parse(line) as Json))}\n`;
