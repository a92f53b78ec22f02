import { READ_ONLY } from './read-only-commands.ts';
import { SAFE } from './safe-commands.ts';
import { matchesEntry, type SetEntry, startsWithEntry } from './set-entry.ts';
import { perWords } from './words/per-words.ts';

/* The named sets of commands, `Bash(read-only)` and `Bash(safe)`. */

export type CommandSet = 'read-only' | 'safe';

export const isCommandSet = (name: string): name is CommandSet =>
  name === 'read-only' || name === 'safe';

/** Whether the words of a plain command are in the set. */
export const inSet = (set: CommandSet, words: readonly string[], cwd?: string): boolean =>
  entryOf(set, words, cwd) !== null;

/** The entry in the set that matches the words of a plain command. */
export const entryOf = (set: CommandSet, words: readonly string[], cwd?: string): SetEntry | null =>
  readOnlyEntryOf(words, cwd) ?? (set === 'safe' ? safeEntryOf(words, cwd) : null);

const firstOf = (entries: readonly SetEntry[]) =>
  perWords((words, cwd): SetEntry | null => {
    const relevant = withoutPager(words);
    return entries.find((entry) => matchesEntry(entry, relevant, cwd)) ?? null;
  });
const readOnlyEntryOf = firstOf(READ_ONLY);
const safeEntryOf = firstOf(SAFE);

/**
 * The entry with the same first words, whatever options follow. The entry shows what such a command
 * may read.
 */
export function namedEntryOf(words: readonly string[]): SetEntry | null {
  const relevant = withoutPager(words);
  return [...READ_ONLY, ...SAFE].find((entry) => startsWithEntry(entry, relevant)) ?? null;
}

/** Drops `--no-pager`, the only common and harmless option that comes before git's subcommand. */
const withoutPager = (words: readonly string[]): readonly string[] =>
  words[0] === 'git' && words[1] === '--no-pager' ? ['git', ...words.slice(2)] : words;
