import type { Verdict } from '../../contract/policy.ts';
import { seeCall, stringsIn, type ToolCall } from './call.ts';
import type { Command } from './command-match.ts';
import { firstNamesIn, namesIn, pathsOf, readsOfWords } from './named-paths.ts';
import { fitsName, segmentsOf } from './path-match.ts';
import type { Plain } from './plain-words.ts';

/** Absolute paths on the machine that the agents work on. */
export interface OwnPaths {
  /** Files, and folders with all that is in them. */
  readonly paths: readonly string[];
  /** Folders below them whose content is not Baton's: the workspaces. */
  readonly except: readonly string[];
}

type Reach = 'in' | 'above' | 'out';

/** Names are compared with few paths here, so there may be more of them than rules are asked about. */
const NAMES_MAX = 5000;
const CHARACTERS_MAX = 256 * 1024;

/** Programs that read or move whole folders. */
const OF_FOLDERS: ReadonlySet<string> = new Set(
  '7z ack ag chmod chown cp docker egrep fgrep grep ln mv podman rg rm rsync scp tar zip'.split(
    ' ',
  ),
);

/** Where words may be anything, as in a text that a command writes, only what is known to search. */
function isSearch(words: readonly string[], { words: plain }: Plain, { cwd }: ToolCall): boolean {
  const [program = ''] = words;
  if (!plain && !OF_FOLDERS.has(program)) return false;
  return ['folders', 'tree'].includes(readsOfWords(words, cwd));
}

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
    const { command, path, subject } = seeCall(call);
    if (command !== null) return this.#ofCommand(command, call);
    if (subject === 'file' || subject === 'folder') {
      const reached = path === null ? 'out' : this.#reach(path);
      if (reached === 'in') return DENIED;
      return reached === 'above' && subject === 'folder' ? ASKED : null;
    }
    const named = pathsOf(stringsIn(call.input), call, call.real);
    return named.some((one) => this.#reach(one.path) === 'in') ? DENIED : null;
  }

  #ofCommand({ plain, parts, distinct }: Command, call: ToolCall): Verdict | null {
    const { names } = firstNamesIn(distinct(), NAMES_MAX, CHARACTERS_MAX);
    // So many that nobody followed their links: of a plain command that is not left open.
    let verdict = plain.words && namesIn(distinct()) === null ? ASKED : null;
    for (const name of names) {
      const paths = pathsOf([name], call, call.real);
      if (paths.some(({ path }) => this.#reach(path, !plain.words) === 'in')) return DENIED;
      if (!call.real?.has(name) && this.#isTelling(name)) verdict ??= ASKED;
    }
    if (parts.some((words) => isSearch(words, plain, call) && this.#isAbove(words, call))) {
      verdict ??= ASKED;
    }
    return verdict;
  }

  #isAbove(words: readonly string[], call: ToolCall): boolean {
    const { names } = firstNamesIn(new Set(words), NAMES_MAX, CHARACTERS_MAX);
    return pathsOf(names, call, call.real).some(
      ({ path, folder }) => folder && this.#reach(path) === 'above',
    );
  }

  /** A relative name, or one behind a variable: the directory that it begins in may be any. */
  #isTelling(name: string): boolean {
    if (name.startsWith('/')) return false;
    return name.split('/').some((one) => this.#telling.has(one.toLowerCase()));
  }

  /** With `wildcards` the shell may put other names in their place. */
  #reach(path: readonly string[], wildcards = false): Reach {
    if (isEnvironment(path)) return 'in';
    const names = path.map((name) => name.toLowerCase());
    const isBelow = (folder: readonly string[]): boolean =>
      names.length > folder.length && folder.every((name, at) => name === names[at]);
    if (this.#except.some(isBelow)) return 'out';
    let best: Reach = 'out';
    for (const own of this.#paths) {
      const common = Math.min(own.length, names.length);
      const fits = own
        .slice(0, common)
        .every((name, at) => name === names[at] || (wildcards && mayBe(names[at]!, name)));
      if (fits && names.length >= own.length) return 'in';
      if (fits) best = 'above';
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

/** The server's variables hold keys, and so does its memory. An agent's own are its own. */
const isEnvironment = ([first, process, ...rest]: readonly string[]): boolean =>
  first === 'proc' &&
  /^\d+$/.test(process ?? '') &&
  ['environ', 'mem'].includes((rest[0] === 'task' ? rest[2] : rest[0]) ?? '');

/** A shell's wildcard does not mean a hidden file unless it says so. */
const mayBe = (pattern: string, name: string): boolean =>
  /[*?[]/.test(pattern) &&
  (!name.startsWith('.') || pattern.startsWith('.')) &&
  fitsName(pattern.replace(/\[[^\]]*\]/g, '?'), name);
