/*
 * What would hide, turn round or feign a part of a text is written out as its number: a person decides
 * by what they see. Line breaks, tabs and plain spaces stay.
 */

/** Controls, marks of direction, what has no shape, and blanks that are none to a shell. */
const UNSEEN = String.raw`(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]`;
/** The wide space of Japanese, and what makes several signs one picture. */
const OF_WRITING = String.raw`\u3000|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;

const IN_CODE = new RegExp(UNSEEN, 'gu');
const IN_PROSE = new RegExp(`(?!${OF_WRITING})${UNSEEN}`, 'gu');

const written = (char: string): string =>
  `\\u{${char.codePointAt(0)!.toString(16).padStart(4, '0')}}`;

/** Of commands, paths, addresses, rules and names. */
export const visible = (text: string): string => text.replace(IN_CODE, written);

/** Of what people write and read, such as a plan or a file. */
export const visibleProse = (text: string): string => text.replace(IN_PROSE, written);
