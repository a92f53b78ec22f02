import { type CommandSet, entryOf, inSet, isCommandSet } from './command-sets.ts';
import type { RealPaths } from './named-paths.ts';
import { isInside, type Steps } from './path-match.ts';
import { FlagNeeds, isFlag } from './words/flag-needs.ts';
import { baseName, looseParts, type Plain, plainWords } from './words/plain-words.ts';
import { quotedNames } from './words/quoted-names.ts';
import { WordTable } from './words/word-table.ts';

/** Whether a rule matches a call; `maybe` if that is uncertain. */
export type Match = 'yes' | 'maybe' | 'no';

/** A command in the forms that rules are matched against. */
export interface Command {
  readonly text: string;
  readonly plain: Plain;
  /** The words of a plain command as a single part; otherwise, the visible words of each part. */
  readonly parts: readonly (readonly string[])[];
  readonly distinct: () => ReadonlySet<string>;
  /** Names that the parts split; null if there are too many. */
  readonly quoted: () => ReadonlySet<string> | null;
  /** Built for the first rule that needs it. */
  readonly table: () => WordTable;
  /**
   * The parts as text, for rules with wildcards; for a plain command also with its program's base
   * name.
   */
  readonly texts: () => readonly string[];
}

/** Cached, because several checks parse the same call. */
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
    quoted: once(() => (plain.words ? new Set<string>() : quotedNames(text))),
    table: once(() => new WordTable(parts)),
    texts: once(() => textsOf(plain, parts)),
  };
  return last;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** If a command has more parts than this, they are joined, so a wildcard may match across them. */
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

/**
 * Each word is prefixed with a character that no plain word contains, so `a "b c"` is not `a b c`.
 */
const textOf = (words: readonly string[]): string => words.map((word) => `${GAP}${word}`).join('');
const GAP = '\0';

/** The part of `Bash(…)` in parentheses. */
type Specifier =
  | { readonly set: CommandSet }
  /**
   * `words`, followed by anything if `open`; `stars` if they contain a `*`, which matches any text.
   */
  | { readonly words: readonly string[]; readonly open: boolean; readonly stars: boolean }
  /** A specifier that is not plain. */
  | { readonly text: string };

function parseSpecifier(text: string): Specifier {
  if (isCommandSet(text)) return { set: text };
  const open = text.endsWith(':*') || text.endsWith(' *');
  const { words } = plainWords(open ? text.slice(0, -2) : text, true);
  if (!words || words.length === 0) return { text };
  return { words, open, stars: words.some((word) => word.includes('*')) };
}

/** What an allow rule for commands needs to know about a call. */
interface CommandCall {
  readonly command: Command | null;
  readonly location: { readonly cwd?: string | undefined };
  readonly real: RealPaths | undefined;
  readonly steps: Steps;
}

/** Matches allow rules, for which a match must be certain. */
export function allowsCommand(
  specifier: string,
  { command, location: { cwd }, real, steps }: CommandCall,
): Match {
  const { plain, texts } = command!;
  if (!plain.words) return 'maybe';
  const spec = parseSpecifier(specifier);
  if ('set' in spec) {
    const entry = entryOf(spec.set, plain.words, cwd);
    return entry !== null && !(entry.operands === 'inside' && leadsOut(cwd, real)) ? 'yes' : 'no';
  }
  if ('text' in spec) return 'no';
  if (spec.stars && !hasSteps(spec.words, command!, steps)) return 'no';
  return matchesGlob(spec.words, texts()[0]!, spec.open) ? 'yes' : 'no';
}

/** A path inside the workspace may be a link that leads out of it, or into a `.git`. */
const leadsOut = (cwd: string | undefined, real: RealPaths = new Map()): boolean =>
  [...real.values()].some(({ path }) => !isInside(path, cwd));

/**
 * Matches deny and ask rules: the rule's command with anything after it, with its options in any
 * order, with its program at any path, and anywhere in a command that is not plain. Since a command
 * that is not plain may hide words, the result for it is never `no`.
 */
export function stopsCommand(specifier: string, command: Command, steps?: Steps): Match {
  const spec = parseSpecifier(specifier);
  const { plain, text } = command;
  const otherwise = plain.words ? 'no' : 'maybe';
  if ('set' in spec) return plain.words && inSet(spec.set, plain.words) ? 'yes' : otherwise;
  if ('text' in spec) {
    if (plain.words) return 'no';
    return hasSteps([spec.text], command, steps) && text.includes(spec.text) ? 'yes' : 'maybe';
  }
  if (spec.stars && !hasSteps(spec.words, command, steps)) return 'maybe';
  if (spec.stars) return matchesPattern(spec.words, command) ? 'yes' : otherwise;
  if (steps !== undefined && steps.left < 0) return 'maybe';
  const isMatch = matchesWords(spec.words, command, steps);
  return isMatch === null ? 'maybe' : isMatch ? 'yes' : otherwise;
}

/** Up to this length, JavaScript finds a piece (the text between two `*`) in linear time. */
const PIECE_MAX = 250;

/** Whether there are enough steps left to look for each piece between two `*` in the whole text. */
function hasSteps(words: readonly string[], { text }: Command, steps?: Steps): boolean {
  if (steps === undefined) return true;
  const pieces = words.join('').split('*');
  const slow = pieces.filter((piece) => piece.length > PIECE_MAX);
  const factor = slow.reduce((sum, { length }) => sum + length, pieces.length + 1);
  steps.left -= text.length * factor;
  return steps.left >= 0;
}

/** A search for an option takes about as long as comparing this many words. */
const LOOKUP_STEPS = 10;

/** Null if there are not enough steps left to tell. */
function matchesWords(
  rule: readonly string[],
  { plain, table }: Command,
  steps?: Steps,
): boolean | null {
  const names = rule.filter((word) => !isFlag(word));
  const flags = rule.filter(isFlag);
  // A name after an option may be the option's value, so from the first option on, options and
  // names may appear anywhere in the rest of the command.
  const free = flags.length > 0 ? rule.findIndex(isFlag) : Number.POSITIVE_INFINITY;
  const words = table();
  const before = words.compared * names.length + words.lookups * LOOKUP_STEPS;
  const most = steps && steps.left / Math.max(names.length, LOOKUP_STEPS);
  const isMatch = words.matches(names, free, new FlagNeeds(flags), plain.words === null, most);
  if (steps !== undefined)
    steps.left -= words.compared * names.length + words.lookups * LOOKUP_STEPS - before;
  return isMatch;
}

function matchesGlob(pattern: readonly string[], text: string, open: boolean): boolean {
  const like = textOf(pattern);
  return fits(like, text) || (open && fits(`${like}${GAP}*`, text));
}

function matchesPattern(pattern: readonly string[], { plain, texts }: Command): boolean {
  const like = `*${textOf(pattern)}*`;
  return texts().some((text) =>
    plain.words ? matchesGlob(pattern, text, true) : fits(like, text),
  );
}

/** `*` matches any text. Works piece by piece, so the time is linear in the length of the text. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (!text.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const piece of rest) {
    const start = text.indexOf(piece, at);
    if (start === -1) return false;
    at = start + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
