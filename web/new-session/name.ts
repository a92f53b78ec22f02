import { SESSION_NAME_MAX } from '../../src/contract/limits.ts';
import { SessionName } from '../../src/contract/session.ts';
import {
  charactersIn,
  firstCharacters,
  printableWords,
} from '../../src/contract/values/characters.ts';

/* A default name for a session (S9). */

/** The beginning of the message in whole words; null if nothing is visible. */
export function nameFrom(message: string): string | null {
  const words = printableWords(firstCharacters(message, 400));
  let name = '';
  for (const word of words) {
    const next = name === '' ? word : `${name} ${word}`;
    if (charactersIn(next) > SESSION_NAME_MAX) break;
    name = next;
  }
  if (name === '') name = firstCharacters(words[0] ?? '', SESSION_NAME_MAX);
  return SessionName.safeParse(name).data ?? null;
}

/** `name`, then `name 2`, `name 3` …, within the maximum length. */
export const numbered = (name: string, number: number): string =>
  number === 1
    ? name
    : `${firstCharacters(name, SESSION_NAME_MAX - String(number).length - 1).trimEnd()} ${number}`;
