import { type CommandSet, entryOf, inSet, isCommandSet } from './command-sets.ts';
import { FlagNeeds, isFlag } from './flag-needs.ts';
import type { RealPaths } from './named-paths.ts';
import { isInside } from './path-match.ts';
import { baseName, looseParts, type Plain, plainWords } from './plain-words.ts';
import { WordTable } from './word-table.ts';

/** Whether a rule speaks of a call; `maybe` if it cannot be told. */
export type Match = 'yes' | 'maybe' | 'no';

/** A command as rules see it. */
export interface Command {
  readonly text: string;
  readonly plain: Plain;
  /** Its words; those of its parts, as far as they can be seen, if it is not plain. */
  readonly parts: readonly (readonly string[])[];
  /** The words, each once. */
  readonly distinct: () => ReadonlySet<string>;
  /** Made when the first rule is looked for. */
  readonly table: () => WordTable;
  /** The same words as texts, for rules with wildcards; of a plain one also with its program's bare name. */
  readonly texts: () => readonly string[];
}

/** The last one, because a call is looked at from several sides. */
let last: Command | null = null;

export function commandOf(text: string): Command {
  if (last?.text === text) return last;
  const plain = plainWords(text);
  const parts = plain.words ? [plain.words] : looseParts(text);
  last = {
    text,
    plain,
    parts,
    distinct: once(() => new Set(parts.flat())),
    table: once(() => new WordTable(parts)),
    texts: once(() => textsOf(plain, parts)),
  };
  return last;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** With more parts than this a wildcard may stand for several of them. */
const PARTS_MAX = 1000;

function textsOf({ words }: Plain, parts: readonly (readonly string[])[]): readonly string[] {
  const [first = '', ...rest] = words ?? [];
  const all = words
    ? [words, [baseName(first), ...rest]]
    : parts.length > PARTS_MAX
      ? [parts.flat()]
      : parts;
  return all.map((some) => textOf(some));
}

/** Each word behind a character that no plain word has, so that `a "b c"` is not `a b c`. */
const textOf = (words: readonly string[]): string => words.map((word) => `${GAP}${word}`).join('');
const GAP = '\0';

/** What stands in `Bash(…)`. */
type Specifier =
  | { readonly set: CommandSet }
  /** `words`, and with `open` anything after them; a `*` among them stands for any text. */
  | { readonly words: readonly string[]; readonly open: boolean; readonly stars: boolean }
  /** Not plain itself. */
  | { readonly text: string };

function parseSpecifier(text: string): Specifier {
  if (isCommandSet(text)) return { set: text };
  const open = text.endsWith(':*') || text.endsWith(' *');
  const { words } = plainWords(open ? text.slice(0, -2) : text, true);
  if (!words || words.length === 0) return { text };
  return { words, open, stars: words.some((word) => word.includes('*')) };
}

/** For rules that allow: only what is surely meant. */
export function allowsCommand(
  specifier: string,
  { plain, texts }: Command,
  cwd?: string,
  real?: RealPaths,
): Match {
  if (!plain.words) return 'maybe';
  const spec = parseSpecifier(specifier);
  if ('set' in spec) {
    const entry = entryOf(spec.set, plain.words, cwd);
    return entry !== null && !(entry.operands === 'inside' && leadsOut(cwd, real)) ? 'yes' : 'no';
  }
  if ('text' in spec) return 'no';
  return isLike(spec.words, texts()[0]!, spec.open) ? 'yes' : 'no';
}

/** A word that is a path inside the workspace may be a link out of it, or into a `.git`. */
const leadsOut = (cwd: string | undefined, real: RealPaths = new Map()): boolean =>
  [...real.values()].some(({ path }) => !isInside(path, cwd));

/**
 * For rules that deny or ask: the command and anything after it, its options in any order, by any
 * path, and anywhere in a command that is not plain. There, what is not seen may still be hidden.
 */
export function stopsCommand(specifier: string, command: Command): Match {
  const spec = parseSpecifier(specifier);
  const { plain, text } = command;
  const otherwise = plain.words ? 'no' : 'maybe';
  if ('set' in spec) return plain.words && inSet(spec.set, plain.words) ? 'yes' : otherwise;
  if ('text' in spec) return !plain.words && text.includes(spec.text) ? 'yes' : otherwise;
  const says = spec.stars ? saysPattern(spec.words, command) : saysWords(spec.words, command);
  return says ? 'yes' : otherwise;
}

function saysWords(rule: readonly string[], { plain, table }: Command): boolean {
  const names = rule.filter((word) => !isFlag(word));
  const flags = rule.filter(isFlag);
  // Names after an option may be its value, and so stand with it anywhere further on.
  const free = flags.length > 0 ? rule.findIndex(isFlag) : Number.POSITIVE_INFINITY;
  return table().says(names, free, new FlagNeeds(flags), plain.words === null);
}

function isLike(pattern: readonly string[], text: string, open: boolean): boolean {
  const like = textOf(pattern);
  return fits(like, text) || (open && fits(`${like}${GAP}*`, text));
}

function saysPattern(pattern: readonly string[], { plain, texts }: Command): boolean {
  const like = `*${textOf(pattern)}*`;
  return texts().some((text) => (plain.words ? isLike(pattern, text, true) : fits(like, text)));
}

/** `*` stands for any text. Piece by piece, so the time grows with the text only. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (!text.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
