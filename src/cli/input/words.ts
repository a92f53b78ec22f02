import { usageError } from '../../config/user-error.ts';

/** The words of a command by their names; one too few or too many is named. */
export function takeWords(words: readonly string[], ...names: string[]): string[] {
  const missing = names[words.length];
  if (missing !== undefined) {
    throw usageError({
      what: `The ${missing} is missing.`,
      why: `this command takes ${names.map((name) => `<${name}>`).join(' ')}.`,
      todo: `add it; "--help" shows how.`,
    });
  }
  const extra = words[names.length];
  if (extra !== undefined) {
    throw usageError({
      what: `"${extra}" is not understood.`,
      why:
        names.length === 0
          ? 'this command takes flags only.'
          : `this command takes ${names.map((name) => `<${name}>`).join(' ')} and no more.`,
      todo: 'remove it, or put text with spaces into quotes.',
    });
  }
  return [...words];
}
