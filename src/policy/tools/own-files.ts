import type { Verdict } from '../../contract/policy.ts';
import { asText, parseCall, stringsIn, type ToolCall } from './call.ts';
import { type Command, commandOf } from './command-match.ts';
import { allNamesIn, MOVES, namesIn, pathsInside, pathsOf } from './named-paths.ts';
import { fitsName, holdsProcesses, isOpaque, isUnknownLink, segmentsOf } from './path-match.ts';
import { searchesIn } from './searches.ts';
import { isOpenTool } from './tool-table.ts';
import { ANY, expandedWords, withVariables } from './words/expanded-words.ts';
import { baseName, looseParts } from './words/plain-words.ts';
import { quotedNames } from './words/quoted-names.ts';

/** Absolute paths on the machine where the agents run. */
export interface OwnPaths {
  /** Files, and folders together with everything in them. */
  readonly paths: readonly string[];
  /** Folders in `paths` whose content is not Baton's own: the workspaces. */
  readonly except: readonly string[];
}

/**
 * Where a path lies relative to Baton's own files; `unknown` if it goes through a process's link.
 */
type Reach = 'in' | 'above' | 'unknown' | 'out';

const NO_WORDS: ReadonlySet<string> = new Set();
/** Limited because each part of a command is looked up in long tables. */
const PARTS_MAX = 1000;

/** Names that other programs are unlikely to use, so they are suspicious in any folder. */
const DISTINCTIVE = ['secret-key', 'admin-token', 'baton.db', 'baton.db-wal', 'baton.db-shm'];

/**
 * Baton's own files, which no agent's tool may use, whatever the rules say (P7). A call that names
 * one of them is denied. A call that searches a folder above them, or a command that may refer to
 * one of them, requires approval. A program can still open files that its words do not name; only
 * isolation prevents that.
 */
export class OwnFiles {
  readonly #paths: readonly (readonly string[])[];
  readonly #except: readonly (readonly string[])[];
  readonly #distinctive: ReadonlySet<string>;
  /** The last segment of each path. */
  readonly #last: ReadonlySet<string>;

  constructor({ paths, except }: OwnPaths) {
    const absolute = (path: string): string[] => segmentsOf(path.toLowerCase(), {})!;
    this.#paths = paths.map(absolute);
    this.#except = except.map(absolute);
    this.#last = new Set(this.#paths.map((path) => path.at(-1) ?? ''));
    const unusual = [...this.#last].filter((name) => /^\.|baton/.test(name));
    this.#distinctive = new Set([...DISTINCTIVE, ...unusual]);
  }

  /** Null if the call does not touch Baton's own files. */
  judge(call: ToolCall): Verdict | null {
    const { command, paths, subject } = parseCall(call);
    if (command !== null) return this.#judgeCommand(command, call);
    if (subject !== 'file' && subject !== 'folder') return this.#judgeStrings(call);
    const reached = paths.map((path) => (path === null ? 'out' : this.#reach(path)));
    if (reached.includes('in')) return DENIED;
    const isAsked =
      reached.includes('unknown') || (reached.includes('above') && subject === 'folder');
    return isAsked ? ASKED : null;
  }

  /**
   * In the input of an unknown tool, each text may be a path or part of a command. All of them
   * together are judged as one command, so that its limits hold for the whole call.
   */
  #judgeStrings(call: ToolCall): Verdict | null {
    const { strings, isAll } = stringsIn(call.input);
    const isOpen = isOpenTool(call.tool);
    let verdict: Verdict | null = null;
    if (!isAll && isOpen) {
      const text = JSON.stringify(call.input).replace(/\\[nrt]/g, ' ');
      return this.#mentionsOwnPath(text, call.home) ? DENIED : ASKED;
    }
    for (const text of strings) {
      const reached = pathsOf([text], call, call.real).map(({ path }) => this.#reach(path));
      if (reached.includes('in')) return DENIED;
      const isAbove = text !== '' && reached.includes('above');
      if (isOpen && (isAbove || reached.includes('unknown'))) verdict = ASKED;
    }
    if (!isOpen) return null;
    const asCommand = this.#judgeCommand(commandOf(asText(strings)), call);
    return asCommand === DENIED ? DENIED : (verdict ?? asCommand);
  }

  #judgeCommand(command: Command, call: ToolCall): Verdict | null {
    const { plain } = command;
    const text = plain.words ? command.text : withVariables(command.text, call.home);
    const parts = text === command.text ? command.parts : looseParts(text);
    const visibleWords = text === command.text ? command.distinct() : new Set(parts.flat());
    const expanded = plain.words ? NO_WORDS : expandedWords(text);
    const all = expanded.size === 0 ? visibleWords : new Set([...visibleWords, ...expanded]);
    const first = allNamesIn(all);
    const quoted = text === command.text ? command.quoted() : quotedNames(text);
    const names = new Set([...first.names, ...(quoted ?? [])]);
    const isAll = first.isAll && quoted !== null;
    const isMentioned = this.#mentionsOwnPath(text, call.home);
    if (isMentioned && !isAll) return DENIED;
    // There were too many names to compare all of them or to follow their links.
    let isAsked = isMentioned || !isAll || (plain.words !== null && namesIn(all) === null);
    isAsked ||= plain.words !== null && this.#isInScript(plain.words, call);
    // In a command that is not plain, the program may come after `if`, `time`, `X=1` or a quote.
    const isMove = (word = ''): boolean => MOVES.has(baseName(word));
    const moves = parts.some((words) => (plain.words ? isMove(words[0]) : words.some(isMove)));
    // Without a folder, `cd` leads to the home directory.
    let isAbove = moves && parts.some((words) => isMove(words.at(-1))) && this.#isAbove('~', call);
    let isInWorkspace = false;
    let hasLast = false;
    const namesProcesses = text.includes('proc');
    for (const name of names) {
      const reached = pathsOf([name], call, call.real).map(({ path }) =>
        this.#reach(path, !plain.words),
      );
      if (reached.includes('in')) return DENIED;
      isAsked ||= reached.includes('unknown');
      isAsked ||= namesProcesses && this.#isOfSomeProcess(name, call);
      isAbove ||= reached.includes('above');
      hasLast ||= this.#hasLast(name);
      if (!this.#resemblesOwn(name, moves)) continue;
      if (call.real?.has(name)) isInWorkspace = true;
      else isAsked = true;
    }
    // A name that resembles one of Baton's files counts as a file in the workspace only if it
    // certainly starts there.
    isAsked ||=
      isInWorkspace && (moves || isAbove || [...expanded].some((word) => word.startsWith(ANY)));
    // As in `cd /srv && cat data/x`, an ordinary name may start in a folder that the command names.
    isAsked ||= isAbove && hasLast;
    // After `cd ~`, a search of `.` or of the working directory searches a folder above them.
    isAsked ||=
      isAbove &&
      moves &&
      (parts.length > PARTS_MAX || searchesIn(parts, plain, call.cwd).length > 0);
    const isNear = isAbove || this.#isAbove('.', call) || this.#isInRepository(call);
    isAsked ||= isNear && this.#isSearched(command, parts, call);
    return isAsked ? ASKED : null;
  }

  /** Whether a word that is a script, as in `python3 -c "…"`, may name one of Baton's own files. */
  #isInScript(words: readonly string[], call: ToolCall): boolean {
    const inside = pathsInside(new Set(words));
    if (inside === null) return true;
    return pathsOf(inside, call, call.real).some(({ path }) => this.#reach(path) === 'in');
  }

  /**
   * Whether the name, which follows something that only the shell knows, would be another process's
   * environment, memory, directory or open file in /proc: `/proc/$(pgrep node)/environ`.
   */
  #isOfSomeProcess(name: string, call: ToolCall): boolean {
    if (!name.startsWith(`${ANY}/`)) return false;
    return pathsOf([`/proc/0${name.slice(ANY.length)}`], call, undefined).some(({ path }) =>
      ['in', 'unknown'].includes(this.#reach(path, true)),
    );
  }

  /** Whether a part of the command searches a folder above Baton's own files. */
  #isSearched({ plain }: Command, parts: Command['parts'], call: ToolCall): boolean {
    const distinct = new Map(parts.map((words) => [words.join(' '), words]));
    if (distinct.size > PARTS_MAX) return true;
    // The words of a thousand parts may contain the same names, so each name is looked up once.
    const known = new Map<string, boolean>();
    const isAbove = (words: readonly string[]): boolean =>
      [...allNamesIn(new Set(words)).names].some((name) => {
        const above = known.get(name) ?? this.#isAbove(name, call);
        known.set(name, above);
        return above;
      });
    return searchesIn([...distinct.values()], plain, call.cwd).some(
      ({ words, here, repository }) =>
        (repository && this.#isInRepository(call)) || isAbove(here ? [...words, '.'] : words),
    );
  }

  /** Whether a repository that git may use contains Baton's own files. */
  #isInRepository({ repositories = [] }: ToolCall): boolean {
    return repositories.some((top) => this.#reach(segmentsOf(top, {})!) === 'above');
  }

  #isAbove(name: string, call: ToolCall): boolean {
    return pathsOf([name], call, call.real).some(({ path }) => this.#reach(path) === 'above');
  }

  /** Whether the text contains one of the paths anywhere, however it is quoted. */
  #mentionsOwnPath(text: string, home: string | undefined): boolean {
    const bare = withVariables(text, home)
      .toLowerCase()
      .replace(/["'\\]/g, '')
      .replace(/\/(?:\.?\/)+/g, '/');
    // Each form of a path begins with one of these, and most commands contain neither.
    if (!/[~/]/.test(bare)) return false;
    const from = home?.toLowerCase();
    return this.#paths.some((names) => {
      const own = `/${names.join('/')}`;
      if (this.#containsPath(bare, own, own)) return true;
      if (from === undefined || !own.startsWith(`${from}/`)) return false;
      return this.#containsPath(bare, own, `~${own.slice(from.length)}`);
    });
  }

  /**
   * Whether the text contains one of Baton's paths in this form, other than as the start of an
   * exempt folder.
   */
  #containsPath(text: string, own: string, form: string): boolean {
    const except = this.#except
      .map((folder) => `/${folder.join('/')}/`)
      .filter((folder) => folder.startsWith(own))
      .map((folder) => form + folder.slice(own.length));
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      const isLonger = /[\w.-]/.test(text[at + form.length] ?? '');
      if (!isLonger && !except.some((folder) => text.startsWith(folder, at))) return true;
    }
    return false;
  }

  /**
   * Whether a name resembles one of Baton's files; for relative names and names after a variable,
   * because those may start in any directory. If the name has wildcards, enough of its letters must
   * be spelled out.
   */
  #resemblesOwn(name: string, moves: boolean): boolean {
    const isUnsure = name.includes(ANY);
    if (!isUnsure && /^~?\//.test(name)) return false;
    return name.split('/').some((one) => {
      const segment = one.toLowerCase();
      if (this.#distinctive.has(segment)) return true;
      const letters = segment.replace(/[^\p{L}\p{N}]/gu, '').length;
      const isHint = segment.includes(ANY)
        ? letters >= HINT_LETTERS
        : letters > 0 && (isUnsure || (moves && segment.startsWith('.')));
      return isHint && [...this.#distinctive].some((own) => mayMatch(segment, own));
    });
  }

  #hasLast(name: string): boolean {
    if (!name.includes(ANY) && /^~?\//.test(name)) return false;
    return name.split('/').some((one) => {
      const segment = one.toLowerCase();
      if (this.#last.has(segment)) return true;
      // A name that is entirely unknown could be anything, but is rarely one of Baton's files.
      return segment !== ANY && [...this.#last].some((own) => mayMatch(segment, own));
    });
  }

  /** With `wildcards`, names may contain wildcards that the shell expands. */
  #reach(path: readonly string[], wildcards = false): Reach {
    const names = path.map((name) => name.toLowerCase());
    if (isEnvironment(names)) return 'in';
    const isBelow = (folder: readonly string[]): boolean =>
      names.length > folder.length && folder.every((name, at) => name === names[at]);
    if (this.#except.some(isBelow)) return 'out';
    let best: Reach = holdsProcesses(names) ? 'above' : isOthers(names) ? 'unknown' : 'out';
    for (const own of this.#paths) {
      const common = Math.min(own.length, names.length);
      const fits = own
        .slice(0, common)
        .every((name, at) => name === names[at] || (wildcards && mayMatch(names[at]!, name)));
      // A name that is entirely unknown could be anything, but is rarely one of Baton's files.
      if (fits && names.length >= own.length && names[own.length - 1] !== ANY) return 'in';
      if (fits && best === 'out') best = 'above';
    }
    return best;
  }
}

const ownVerdict = (decision: 'deny' | 'ask', reason: string): Verdict => ({
  decision,
  scope: 'default',
  rule: null,
  reason,
});
const DENIED = ownVerdict('deny', "it names Baton's own files, which no agent may use");
const ASKED = ownVerdict('ask', "it may reach Baton's own files");

/** How many known letters a partly unknown name needs to count as a hint. */
const HINT_LETTERS = 4;

/**
 * The server's environment and memory contain keys. An agent may read its own process's environment
 * and memory (`/proc/self`).
 */
function isEnvironment([first, process = '', ...rest]: readonly string[]): boolean {
  if (first !== 'proc' || !(/^\d+$/.test(process) || WILDCARD.test(process))) return false;
  const file = (rest[0] === 'task' ? rest[2] : rest[0]) ?? ANY;
  return file !== ANY && ['environ', 'mem'].some((name) => name === file || mayMatch(file, name));
}

/**
 * Whether the path is another process's link, or goes through a file that the agent's own process
 * has open.
 */
const isOthers = (path: readonly string[]): boolean =>
  path[0] === 'proc' && (path[1] === 'self' ? isUnknownLink(path.slice(0, -1)) : isOpaque(path));

const WILDCARD = /[*?[\0]/;

/** In a shell, a wildcard does not match a hidden file unless the pattern starts with a dot. */
const mayMatch = (pattern: string, name: string): boolean =>
  WILDCARD.test(pattern) &&
  (!name.startsWith('.') || /^[.\0]/.test(pattern)) &&
  fitsName(withoutClasses(pattern).replaceAll(ANY, '*'), name);

/**
 * Replaces each class (`[a-z]`, `[!]x]`, `[[:alpha:]]`) with `?`. An unclosed class and everything
 * after it become `*`.
 */
export function withoutClasses(pattern: string): string {
  let plain = '';
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] !== '[') {
      plain += pattern[at];
      continue;
    }
    const end = endOfClass(pattern, at);
    if (end === -1) return `${plain}*`;
    plain += '?';
    at = end;
  }
  return plain;
}

/** The index of the `]` that closes the class at `start`; a `]` that comes first is a member. */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === ']') return at;
    const kind = pattern[at] === '[' ? pattern[at + 1] : undefined;
    if (kind !== ':' && kind !== '.' && kind !== '=') continue;
    const end = pattern.indexOf(`${kind}]`, at + 2);
    if (end === -1) return -1;
    at = end + 1;
  }
  return -1;
}
