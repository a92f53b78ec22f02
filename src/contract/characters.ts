/* Characters of short texts in any script, counted as code points: as JSON Schema and both databases do. */

/** Joiners and variation selectors: invisible, but Persian, Indic scripts, kanji and emoji need them. */
const NEEDED = '\\u200c\\u200d\\u180b-\\u180d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';
/**
 * Control characters, line breaks, private and broken ones, and what is not drawn: zero-width
 * characters, fillers, and those that turn the direction of what is around them.
 */
const NOT_PRINTABLE = `[\\p{Cc}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb]|(?![${NEEDED}])\\p{Default_Ignorable_Code_Point}`;
const ONE_NOT_PRINTABLE = new RegExp(NOT_PRINTABLE, 'u');
const ALL_NOT_PRINTABLE = new RegExp(NOT_PRINTABLE, 'gu');
/** Something to see; the empty Braille pattern is a symbol and yet blank. */
const VISIBLE = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

export const isPrintable = (text: string): boolean =>
  VISIBLE.test(text) && !ONE_NOT_PRINTABLE.test(text);

/** The words of a text without what cannot be printed. */
export const printableWords = (text: string): string[] =>
  text
    .normalize('NFC')
    .split(/[\s\u0085]+/u)
    .map((word) => word.replaceAll(ALL_NOT_PRINTABLE, ''))
    .filter((word) => VISIBLE.test(word));

export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** None is longer than two units. */
export const firstCharacters = (text: string, count: number): string =>
  [...text.slice(0, count * 2)].slice(0, count).join('');
