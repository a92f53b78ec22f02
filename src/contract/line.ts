import { z } from 'zod';
import { charactersIn, isPrintable } from './characters.ts';

/* Short texts that people give to things. */

const noLonger = (max: number) => (text: string) =>
  text.length <= max || (text.length <= 2 * max && charactersIn(text) <= max);

/** At most `max` characters of any kind. */
export const Text = (what: string, max: number) =>
  z
    .string()
    .refine(noLonger(max), `a ${what} has at most ${max} characters`)
    .meta({ maxLength: max });

/** One line of printable characters, of one spelling however it was typed (NFC), trimmed. */
export const Line = (what: string, max: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .refine((text) => text !== '', `a ${what} is not empty`)
    .refine(noLonger(max), `a ${what} has at most ${max} characters`)
    .refine(
      (text) => text === '' || isPrintable(text),
      `a ${what} has printable characters only: no control characters, line breaks or invisible ones`,
    )
    .meta({ minLength: 1, maxLength: max });
