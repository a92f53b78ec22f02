import { type CommandSet, inSet, isCommandSet } from './command-sets.ts';
import { baseName, looseParts, type Plain, plainWords } from './plain-words.ts';

/** Whether a rule speaks of a call; `maybe` if it cannot be told. */
export type Match = 'yes' | 'maybe' | 'no';

/** A command as rules see it. */
export interface Command {
  readonly text: string;
  readonly plain: Plain;
  /** Its words; those of its parts, as far as they can be seen, if it is not plain. */
  readonly parts: readonly (readonly string[])[];
  /** The names of programs that may be meant. */
  readonly programs: ReadonlySet<string>;
}

export function commandOf(text: string): Command {
  const plain = plainWords(text);
  const parts = plain.words ? [plain.words] : looseParts(text);
  const programs = new Set((plain.words ? plain.words.slice(0, 1) : parts.flat()).map(baseName));
  return { text, plain, parts, programs };
}

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
export function allowsCommand(specifier: string, { plain }: Command, cwd?: string): Match {
  if (!plain.words) return 'maybe';
  const spec = parseSpecifier(specifier);
  if ('set' in spec) return inSet(spec.set, plain.words, cwd) ? 'yes' : 'no';
  if ('text' in spec) return 'no';
  return isLike(spec.words, plain.words, spec.open) ? 'yes' : 'no';
}

/**
 * For rules that deny or ask: the command and anything after it, its options in any order, by any
 * path, and anywhere in a command that is not plain. There, what is not seen may still be hidden.
 */
export function stopsCommand(specifier: string, command: Command): Match {
  const spec = parseSpecifier(specifier);
  const { plain, parts, text } = command;
  const otherwise = plain.words ? 'no' : 'maybe';
  if ('set' in spec) return plain.words && inSet(spec.set, plain.words) ? 'yes' : otherwise;
  if ('text' in spec) return !plain.words && text.includes(spec.text) ? 'yes' : otherwise;
  if (!spec.stars && !command.programs.has(baseName(spec.words[0]!))) return otherwise;
  const anywhere = plain.words === null;
  const says = parts.some((words) =>
    spec.stars ? saysPattern(spec.words, words, anywhere) : saysWords(spec.words, words, anywhere),
  );
  return says ? 'yes' : otherwise;
}

/** A character that no plain word has, so that `a "b c"` is not `a b c`. */
const GAP = '\0';

function isLike(pattern: readonly string[], words: readonly string[], open: boolean): boolean {
  const [like, text] = [pattern.join(GAP), words.join(GAP)];
  return fits(like, text) || (open && fits(`${like}${GAP}*`, text));
}

function saysPattern(
  pattern: readonly string[],
  words: readonly string[],
  anywhere: boolean,
): boolean {
  const [like, text] = [pattern.join(GAP), words.join(GAP)];
  if (anywhere) return fits(`*${GAP}${like}*`, `${GAP}${text}`);
  const [first = '', ...rest] = words;
  return isLike(pattern, words, true) || isLike(pattern, [baseName(first), ...rest], true);
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

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-') && word !== '--';

/**
 * Whether the words begin as the rule says, `anywhere` at any of them. Between the rule's words
 * there may be options, each with a value: `git -C there push` is `git push`. All states of all
 * beginnings advance together, one step a word.
 */
export function saysWords(
  rule: readonly string[],
  words: readonly string[],
  anywhere: boolean,
): boolean {
  const names = rule.filter((word) => !isFlag(word));
  if (words.length < names.length) return false;
  const flags = rule.filter(isFlag);
  // Names after an option may be its value, and so stand with it anywhere further on.
  const free = flags.length > 0 ? rule.findIndex(isFlag) : Number.POSITIVE_INFINITY;
  const isWord = (at: number, word: string): boolean =>
    at === 0 ? baseName(word) === baseName(names[0] ?? '') : word === names[at];
  /** For each number of names seen: false just after a name, true after an option. */
  let states = new Map<number, boolean>();
  let begun = -1;
  let done = false;
  for (const [at, word] of words.entries()) {
    const next = new Map<number, boolean>();
    for (const [seen, afterOption] of states) {
      if (isWord(seen, word)) next.set(seen + 1, false);
      if (isFlag(word)) next.set(seen, true);
      else if ((afterOption || seen >= free) && !next.has(seen)) next.set(seen, false);
    }
    if ((anywhere || at === 0) && isWord(0, word)) {
      if (begun === -1) begun = at;
      if (!next.has(1)) next.set(1, false);
    }
    done ||= next.has(names.length);
    if (done) break;
    states = next;
  }
  return done && hasFlags(flags, words.slice(begun + 1));
}

/** The two options that deny rules are about, in long and short. */
const LONG = new Map([
  ['r', 'recursive'],
  ['R', 'recursive'],
  ['f', 'force'],
]);
/** From here on `-word` is one option, as find and go have them, not letters. */
const LETTERS_MAX = 4;

/** Whether all of a rule's options are given: `-rf` also as `-fr`, `-r -f` or `--recursive --force`. */
function hasFlags(rule: readonly string[], words: readonly string[]): boolean {
  if (rule.length === 0) return true;
  // After an option it may be that option's value.
  const end = words.findIndex((word, at) => word === '--' && !isFlag(words[at - 1] ?? ''));
  const given = (end === -1 ? words : words.slice(0, end)).filter(isFlag);
  const whole = new Set(given);
  const longs = new Set<string>();
  const letters = new Set<string>();
  for (const flag of given) {
    if (flag.startsWith('--')) longs.add(flag.slice(2).split('=', 1)[0]!);
    else for (const letter of flag.slice(1)) letters.add(LONG.get(letter) ?? letter);
  }
  // An abbreviation of a long option is one too.
  const hasLong = (name: string): boolean =>
    letters.has(name) || [...longs].some((long) => long !== '' && name.startsWith(long));
  return rule.every((flag) => {
    if (whole.has(flag)) return true;
    if (flag.startsWith('--')) return hasLong(flag.slice(2));
    if (flag.length > LETTERS_MAX) return whole.has(`-${flag}`);
    return [...flag.slice(1)].every((letter) => {
      const long = LONG.get(letter);
      return long === undefined ? letters.has(letter) : hasLong(long);
    });
  });
}
