import { READ_ONLY } from './read-only-commands.ts';
import { SAFE } from './safe-commands.ts';
import { beginsLike, isOf, type SetEntry } from './set-entry.ts';

/* The named sets of commands, `Bash(read-only)` and `Bash(safe)`. */

export type CommandSet = 'read-only' | 'safe';

export const isCommandSet = (name: string): name is CommandSet =>
  name === 'read-only' || name === 'safe';

/** Whether the words of a plain command are in the set. */
export const inSet = (set: CommandSet, words: readonly string[], cwd?: string): boolean =>
  entryOf(set, words, cwd) !== null;

/** The line of the set that the words of a plain command are meant by. */
export function entryOf(set: CommandSet, words: readonly string[], cwd?: string): SetEntry | null {
  const seen = withoutPager(words);
  const find = (entries: readonly SetEntry[]): SetEntry | null =>
    entries.find((entry) => isOf(entry, seen, cwd)) ?? null;
  return find(READ_ONLY) ?? (set === 'safe' ? find(SAFE) : null);
}

/** The same whatever options follow, for what a command that is in no set may read. */
export function namedEntryOf(words: readonly string[]): SetEntry | null {
  const seen = withoutPager(words);
  return [...READ_ONLY, ...SAFE].find((entry) => beginsLike(entry, seen)) ?? null;
}

/** The one option before git's command that is common and harmless. */
const withoutPager = (words: readonly string[]): readonly string[] =>
  words[0] === 'git' && words[1] === '--no-pager' ? ['git', ...words.slice(2)] : words;
