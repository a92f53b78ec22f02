import { z } from 'zod';
import { charactersIn, isPrintable } from './characters.ts';

/* Schemas for short text written by people, such as names and descriptions. */

const noLonger = (max: number) => (text: string) =>
  text.length <= max || (text.length <= 2 * max && charactersIn(text) <= max);

/** At most `max` characters of any kind. */
export const Text = (what: string, max: number) =>
  z
    .string()
    .refine(noLonger(max), `a ${what} can have at most ${max} characters`)
    .meta({ maxLength: max });

/**
 * One trimmed line of printable characters, normalized (NFC) so that equal text compares as equal.
 */
export const Line = (what: string, max: number) =>
  z
    .string()
    // The length is checked first, because normalizing takes quadratic time. Normalizing shortens
    // text by at most a factor of 8.
    .max(8 * max, { error: `a ${what} can have at most ${max} characters`, abort: true })
    .normalize('NFC')
    .trim()
    .refine((text) => text !== '', `a ${what} must not be empty`)
    .refine(noLonger(max), `a ${what} can have at most ${max} characters`)
    .refine(
      (text) => text === '' || isPrintable(text),
      `a ${what} may contain printable characters only: no control characters, line breaks or invisible characters`,
    )
    .meta({ minLength: 1, maxLength: max });
