import type { Json } from './contract/json.ts';
import { createMasker, maskJson } from './policy/masking.ts';

const masker = createMasker();

/**
 * Masks one line of a log. It is taken apart first: in the text of JSON, line ends and quotes inside a secret are
 * written in another way, and a mask could swallow the end of a field.
 */
export function maskLine(line: string): string {
  return `${JSON.stringify(maskJson(masker, JSON.parse(line) as Json))}\n`;
}
