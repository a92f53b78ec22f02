/*
 * Which characters are allowed in short text of any script. The characters are counted as code
 * points, as in JSON Schema and both databases.
 */

/** Joiners and variation selectors: invisible, but Persian, Indic scripts, kanji and emoji need them. */
const NEEDED = '\\u200c\\u200d\\u180b-\\u180d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';
/**
 * Control characters, line breaks, private-use characters, lone surrogates, and characters that are
 * not drawn: zero-width characters, fillers and direction overrides.
 */
const NOT_PRINTABLE = `[\\p{Cc}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb]|(?![${NEEDED}])\\p{Default_Ignorable_Code_Point}`;
const ONE_NOT_PRINTABLE = new RegExp(NOT_PRINTABLE, 'u');
const ALL_NOT_PRINTABLE = new RegExp(NOT_PRINTABLE, 'gu');
/** The blank Braille pattern counts as a symbol in Unicode but shows nothing. */
const VISIBLE = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

export const isPrintable = (text: string): boolean =>
  VISIBLE.test(text) && !ONE_NOT_PRINTABLE.test(text);

/** The words of a text, without unprintable characters. */
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

/** Slicing first is safe: no character is longer than two code units. */
export const firstCharacters = (text: string, count: number): string =>
  [...text.slice(0, count * 2)].slice(0, count).join('');
