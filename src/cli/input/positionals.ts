import { usageError } from '../../config/user-error.ts';

/** Checks that a command has exactly these arguments, and returns them. */
export function takeWords(words: readonly string[], ...names: string[]): string[] {
  const missing = names[words.length];
  if (missing !== undefined) {
    throw usageError({
      what: `Missing argument: <${missing}>.`,
      why: `this command takes ${names.map((name) => `<${name}>`).join(' ')}.`,
      todo: 'add it; "--help" shows the usage.',
    });
  }
  const extra = words[names.length];
  if (extra !== undefined) {
    throw usageError({
      what: `Unexpected argument: "${extra}".`,
      why:
        names.length === 0
          ? 'this command takes only flags.'
          : `this command takes only ${names.map((name) => `<${name}>`).join(' ')}.`,
      todo: 'remove it, or put text with spaces in quotes.',
    });
  }
  return [...words];
}
