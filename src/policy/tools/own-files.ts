import type { Verdict } from '../../contract/policy.ts';
import { isText, seeCall, stringsIn, type ToolCall } from './call.ts';
import { type Command, commandOf } from './command-match.ts';
import { ANY, expandedWords, withHome } from './expanded-words.ts';
import { firstNamesIn, MOVES, namesIn, pathsOf } from './named-paths.ts';
import { fitsName, holdsProcesses, isOpaque, isUnknownLink, segmentsOf } from './path-match.ts';
import { baseName, looseParts } from './plain-words.ts';
import { searchesIn } from './searches.ts';
import { isOpenTool } from './tool-table.ts';

/** Absolute paths on the machine that the agents work on. */
export interface OwnPaths {
  /** Files, and folders with all that is in them. */
  readonly paths: readonly string[];
  /** Folders below them whose content is not Baton's: the workspaces. */
  readonly except: readonly string[];
}

/** `unknown` is behind a link of a process. */
type Reach = 'in' | 'above' | 'unknown' | 'out';

/** Names are compared with few paths here, so there may be more of them than rules are asked about. */
const NAMES_MAX = 5000;
const CHARACTERS_MAX = 256 * 1024;
const NO_WORDS: ReadonlySet<string> = new Set();
/** What each part of a command does is looked up in long tables. */
const PARTS_MAX = 1000;

/** What no other program is likely to have, wherever it is said to be. */
const TELLING = ['secret-key', 'admin-token', 'baton.db'];

/**
 * Baton's own files, which no agent's tool may use, whatever the rules say (P7). A tool that names one
 * is denied; one that searches a folder above, or a command that may mean one, is left to a person. A
 * program can still open what its words do not name, which only isolation prevents.
 */
export class OwnFiles {
  readonly #paths: readonly (readonly string[])[];
  readonly #except: readonly (readonly string[])[];
  readonly #telling: ReadonlySet<string>;

  constructor({ paths, except }: OwnPaths) {
    const absolute = (path: string): string[] => segmentsOf(path.toLowerCase(), {})!;
    this.#paths = paths.map(absolute);
    this.#except = except.map(absolute);
    const last = this.#paths.map((path) => path.at(-1) ?? '');
    this.#telling = new Set([...TELLING, ...last.filter((name) => /^\.|baton/.test(name))]);
  }

  /** Null where nothing is said against the call. */
  judge(call: ToolCall): Verdict | null {
    const { command, paths, subject } = seeCall(call);
    if (command !== null) return this.#ofCommand(command, call);
    if (subject !== 'file' && subject !== 'folder') return this.#ofStrings(call);
    const reached = paths.map((path) => (path === null ? 'out' : this.#reach(path)));
    if (reached.includes('in')) return DENIED;
    const isAsked =
      reached.includes('unknown') || (reached.includes('above') && subject === 'folder');
    return isAsked ? ASKED : null;
  }

  /** Of a tool that is not known, each text may be a path or a command. */
  #ofStrings(call: ToolCall): Verdict | null {
    const { strings, isAll } = stringsIn(call.input);
    const isOpen = isOpenTool(call.tool);
    let verdict: Verdict | null = null;
    if (!isAll && isOpen) {
      const text = JSON.stringify(call.input).replace(/\\[nrt]/g, ' ');
      if (this.#isSaid(text, call.home)) return DENIED;
      verdict = ASKED;
    }
    for (const text of strings) {
      const reached = pathsOf([text], call, call.real).map(({ path }) => this.#reach(path));
      if (reached.includes('in')) return DENIED;
      if (!isOpen) continue;
      const asCommand = isText(text) ? this.#ofCommand(commandOf(text), call) : null;
      if (asCommand === DENIED) return DENIED;
      const isAbove = text !== '' && reached.includes('above');
      if (isAbove || reached.includes('unknown')) verdict = ASKED;
      verdict ??= asCommand;
    }
    return verdict;
  }

  #ofCommand(command: Command, call: ToolCall): Verdict | null {
    const { plain } = command;
    const text = plain.words ? command.text : withHome(command.text, call.home);
    const parts = text === command.text ? command.parts : looseParts(text);
    const seen = text === command.text ? command.distinct() : new Set(parts.flat());
    const words = plain.words ? NO_WORDS : expandedWords(text);
    const all = words.size === 0 ? seen : new Set([...seen, ...words]);
    const { names, isAll } = firstNamesIn(all, NAMES_MAX, CHARACTERS_MAX);
    const isSaid = this.#isSaid(text, call.home);
    if (isSaid && !isAll) return DENIED;
    // So many that nobody compared them, or followed their links.
    let isAsked = isSaid || !isAll || (plain.words !== null && namesIn(all) === null);
    const moves = parts.some(([program = '']) => MOVES.has(baseName(program)));
    let isAbove = false;
    let isThere = false;
    for (const name of names) {
      const reached = pathsOf([name], call, call.real).map(({ path }) =>
        this.#reach(path, !plain.words),
      );
      if (reached.includes('in')) return DENIED;
      isAsked ||= reached.includes('unknown');
      isAbove ||= reached.includes('above');
      if (!this.#isTelling(name, moves)) continue;
      if (call.real?.has(name)) isThere = true;
      else isAsked = true;
    }
    // A file of the workspace, if the name surely begins there.
    isAsked ||= isThere && (moves || isAbove || [...words].some((word) => word.startsWith(ANY)));
    isAsked ||= (isAbove || this.#isAbove(['.'], call)) && this.#isSearched(command, parts, call);
    return isAsked ? ASKED : null;
  }

  /** By a command that has a name above them, or works there. */
  #isSearched({ plain }: Command, parts: Command['parts'], call: ToolCall): boolean {
    const distinct = new Map(parts.map((words) => [words.join(' '), words]));
    if (distinct.size > PARTS_MAX) return true;
    return searchesIn([...distinct.values()], plain, call.cwd).some(({ words, here }) =>
      this.#isAbove(here ? [...words, '.'] : words, call),
    );
  }

  #isAbove(words: readonly string[], call: ToolCall): boolean {
    const { names } = firstNamesIn(new Set(words), NAMES_MAX, CHARACTERS_MAX);
    return pathsOf(names, call, call.real).some(({ path }) => this.#reach(path) === 'above');
  }

  /** Whether the text has one of the paths anywhere, however it is quoted. */
  #isSaid(text: string, home: string | undefined): boolean {
    const bare = withHome(text, home)
      .toLowerCase()
      .replace(/["'\\]/g, '')
      .replace(/\/(?:\.?\/)+/g, '/');
    const from = home?.toLowerCase();
    return this.#paths.some((names) => {
      const own = `/${names.join('/')}`;
      if (this.#isIn(bare, own, own)) return true;
      if (from === undefined || !own.startsWith(`${from}/`)) return false;
      return this.#isIn(bare, own, `~${own.slice(from.length)}`);
    });
  }

  /** Whether an own path is in the text in this form, and not as a part of what is excepted. */
  #isIn(text: string, own: string, form: string): boolean {
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
   * A relative name, or one behind a variable: the directory that it begins in may be any. Where a
   * wildcard stands for it, it must say something of the name.
   */
  #isTelling(name: string, moves: boolean): boolean {
    const isUnsure = name.includes(ANY);
    if (!isUnsure && /^~?\//.test(name)) return false;
    return name.split('/').some((one) => {
      const said = one.toLowerCase();
      if (this.#telling.has(said)) return true;
      const letters = said.replace(/[^\p{L}\p{N}]/gu, '').length;
      const isHint = said.includes(ANY)
        ? letters >= HINT_LETTERS
        : letters > 0 && (isUnsure || (moves && said.startsWith('.')));
      return isHint && [...this.#telling].some((telling) => mayBe(said, telling));
    });
  }

  /** With `wildcards` the shell may put other names in their place. */
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
        .every((name, at) => name === names[at] || (wildcards && mayBe(names[at]!, name)));
      // What is nothing but unknown may be anything, and seldom is this.
      if (fits && names.length >= own.length && names[own.length - 1] !== ANY) return 'in';
      if (fits && best === 'out') best = 'above';
    }
    return best;
  }
}

const said = (decision: 'deny' | 'ask', reason: string): Verdict => ({
  decision,
  scope: 'default',
  rule: null,
  reason,
});
const DENIED = said('deny', "it names files of Baton's own, which no agent may use");
const ASKED = said('ask', "it may reach files of Baton's own");

/** Letters around what is unknown, from which on they say something. */
const HINT_LETTERS = 4;

/** The server's variables hold keys, and so does its memory. An agent's own are its own. */
function isEnvironment([first, process = '', ...rest]: readonly string[]): boolean {
  if (first !== 'proc' || !(/^\d+$/.test(process) || WILDCARD.test(process))) return false;
  const file = (rest[0] === 'task' ? rest[2] : rest[0]) ?? ANY;
  return file !== ANY && ['environ', 'mem'].some((name) => name === file || mayBe(file, name));
}

/** Of an own process only what is behind a file that it opened. */
const isOthers = (path: readonly string[]): boolean =>
  path[0] === 'proc' && (path[1] === 'self' ? isUnknownLink(path.slice(0, -1)) : isOpaque(path));

const WILDCARD = /[*?[\0]/;

/** A shell's wildcard does not mean a hidden file unless it says so. */
const mayBe = (pattern: string, name: string): boolean =>
  WILDCARD.test(pattern) &&
  (!name.startsWith('.') || /^[.\0]/.test(pattern)) &&
  fitsName(withoutClasses(pattern).replaceAll(ANY, '*'), name);

/** With `?` for each class (`[a-z]`, `[!]x]`, `[[:alpha:]]`), and `*` from a class without an end on. */
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

/** The `]` that ends the class at `start`; a `]` right after its beginning is one of its characters. */
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
