import { SessionName } from '../../src/contract/session.ts';

/* A name for a session that was not given one (S9). */

const MOST = 50;
const ALLOWED = /[A-Za-z0-9_\-\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々〆ヶ]/u;

/** The beginning of the message, in the letters that a name may have; null if it has too few. */
export function nameFrom(message: string): string | null {
  const letters = [...message.normalize('NFKC').slice(0, 400)];
  const plain = letters.map((letter) => (ALLOWED.test(letter) ? letter : ' ')).join('');
  const words = plain.split(' ').filter((word) => /[^_-]/.test(word));
  let name = '';
  for (const word of words) {
    const next = name === '' ? word : `${name} ${word}`;
    if (next.length > MOST) break;
    name = next;
  }
  if (name === '') name = (words[0] ?? '').slice(0, MOST);
  return SessionName.safeParse(name).success ? name : null;
}

/** `name`, then `name 2`, `name 3` …, none longer than a name may be. */
export const numbered = (name: string, number: number): string =>
  number === 1 ? name : `${name.slice(0, MOST - String(number).length - 1).trimEnd()} ${number}`;
