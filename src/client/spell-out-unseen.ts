/*
 * Replaces characters that hide, reverse or disguise part of a text with their code points, because
 * people decide based on what they see. Line breaks, tabs and plain spaces are left unchanged.
 */

/**
 * Control and direction characters, invisible ones, and spaces that a shell does not treat as
 * spaces.
 */
const UNSEEN = String.raw`(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]`;
/** The ideographic space, and the joiners and selectors inside emoji. */
const OF_WRITING = String.raw`\u3000|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;

const IN_CODE = new RegExp(UNSEEN, 'gu');
const IN_PROSE = new RegExp(`(?!${OF_WRITING})${UNSEEN}`, 'gu');

const written = (char: string): string =>
  `\\u{${char.codePointAt(0)!.toString(16).padStart(4, '0')}}`;

/** Spells out characters that mislead a reader in commands, paths, addresses, rules and names. */
export const spellOutUnseen = (text: string): string => text.replace(IN_CODE, written);

/** Spells out such characters in text that people write and read, such as a plan or a file. */
export const spellOutUnseenInProse = (text: string): string => text.replace(IN_PROSE, written);
