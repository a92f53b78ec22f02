import type { Match } from './command-match.ts';
import { PATH_MAX, shortened } from './words/short-path.ts';

/*
 * Paths in rules, in Claude Code's gitignore-like syntax: `//etc/x` from the root, `~/x` from the
 * home directory, `/x`, `./x` and `a/x` from the working directory, `x` at any depth below it.
 * Symbolic links are not followed here: the caller may pass the real path.
 */

/** Where a call is made: relative paths start in `cwd`, and `~` stands for `home`. */
export interface Location {
  /** The workspace. */
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
}

/** The segments of the absolute path, from the root; null if its starting directory is unknown. */
export function segmentsOf(path: string, { cwd, home }: Location): string[] | null {
  let from = path;
  if (path === '~' || path.startsWith('~/')) {
    if (home === undefined) return null;
    from = `${home}/${path.slice(1)}`;
  } else if (!path.startsWith('/')) {
    if (cwd === undefined) return null;
    from = `${cwd}/${path}`;
  }
  return walk(from, cwd, true);
}

/**
 * Like `segmentsOf`, but if the path goes through another process's root, also returns the path
 * with that link unresolved: the link leads to the machine's root, unless the process has its own.
 */
export function readingsOf(path: string, location: Location): (string[] | null)[] {
  const segments = segmentsOf(path, location);
  if (segments === null || !path.includes('proc') || !path.includes('root')) return [segments];
  const linked = walk(path.startsWith('/') ? path : `${location.cwd}/${path}`, location.cwd, false);
  return isOpaque(linked) ? [segments, linked] : [segments];
}

function walk(from: string, cwd: string | undefined, throughRoots: boolean): string[] {
  let segments: string[] = [];
  let isLost = false;
  for (const segment of from.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..' && !isLost) segments.pop();
    else segments.push(segment);
    if ((segments[0] === 'proc' || segments[0] === 'dev') && segments.length <= PROC_DEPTH) {
      segments = throughProc(segments, cwd, throughRoots);
      // The target of a `..` after an unknown link is also unknown.
      isLost ||= isUnknownLink(segments);
    }
  }
  return segments;
}

/** /proc/1/task/1/fd/1 */
export const PROC_DEPTH = 6;

/**
 * The index of the segment after a process, or after one of its threads, in a path in /proc;
 * threads have the same files.
 */
const belowProcess = (path: readonly string[]): number => (path[2] === 'task' ? 4 : 2);

/** Follows the links of a process in /proc, as far as possible without asking the process. */
function throughProc(segments: string[], cwd: string | undefined, throughRoots: boolean): string[] {
  const [first, process = ''] = segments;
  if (first === 'dev') return segments.join('/') === 'dev/fd' ? ['proc', 'self', 'fd'] : segments;
  if (segments.length <= 2) return [...(PROC_LINKS.get(process) ?? segments)];
  const at = belowProcess(segments);
  const link = segments[at];
  if (segments.length > at + 1) return segments;
  const isSelf = process === 'self';
  if (link === 'root' && (isSelf || throughRoots)) return [];
  return link === 'cwd' && isSelf && cwd !== undefined ? segmentsOf(cwd, {})! : segments;
}

const PROC_LINKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['net', ['proc', 'self', 'net']],
  ['thread-self', ['proc', 'self', 'task', '1']],
]);

/** A link in /proc with an unknown target, or a path through such a link. */
export function isUnknownLink(path: readonly string[]): boolean {
  if (path[0] !== 'proc') return false;
  const at = belowProcess(path);
  const link = path[at] ?? '';
  if (link === 'root') return path[1] !== 'self';
  return link === 'cwd' || link === 'exe' || (OPENED.has(link) && path.length > at + 1);
}
const OPENED: ReadonlySet<string> = new Set(['fd', 'map_files']);

/** Whether the path goes through another process or an open file, so its target is unknown. */
export function isOpaque(path: readonly string[]): boolean {
  // Called for every rule, so it must not copy the path, which may be long.
  if (path[0] === 'dev') return path[1] === 'stdin';
  if (path[0] !== 'proc') return false;
  return isUnknownLink(path) || OPENED.has(path[belowProcess(path)] ?? '');
}

/**
 * Stands for a folder that cannot be determined: the working directory of a process that does not
 * exist.
 */
export const UNKNOWN_FOLDER = '/proc/0/cwd';

/** The folders in /proc that contain processes' variables and open files. */
export function holdsProcesses(path: readonly string[]): boolean {
  const [first, process = 'self'] = path;
  const isProcess = process === 'self' || /^\d+$/.test(process);
  return first === 'proc' && isProcess && path.length <= belowProcess(path);
}

/** Ignores case, and invisible characters that some file systems drop from names. */
export const isGit = (name: string): boolean =>
  name.toLowerCase().replace(/\p{Cf}/gu, '') === '.git';

/** Excludes anything that could be a host name, a URL, an options file or code. */
const ORDINARY = /^(?:[\p{L}\p{N}\p{M}_.,+=% /[\]-]|::)+$/u;

/** Whether a word in a command can only be a path inside the workspace and outside any `.git`. */
export function isInside(word: string, cwd: string | undefined): boolean {
  if (word === cwd) return true;
  // Nothing checks where a path of this length leads, and some programs open it folder by folder.
  if (shortened(word).length > PATH_MAX) return false;
  const path = cwd !== undefined && word.startsWith(`${cwd}/`) ? word.slice(cwd.length + 1) : word;
  if (!ORDINARY.test(path) || /(?:^|[=,])\//.test(path)) return false;
  return !path.split(/[/=,]/).some((name) => name === '..' || isGit(name));
}

const ANY_DEPTH = '**';

/**
 * Matching time is proportional to the number of segments in the path times the number of `**` in
 * the rule, so both numbers are bounded.
 */
const MOST_DEPTHS = 8;

/** No system opens such a path, so whether it matches is unknown. */
function isTooLong(path: readonly string[]): boolean {
  let length = 0;
  for (const name of path) {
    length += name.length + 1;
    if (length > PATH_MAX) return true;
  }
  return false;
}

/** The segments of a pattern from the root; the first `literal` are compared without wildcards. */
interface Pattern {
  readonly names: readonly string[];
  readonly literal: number;
}

/** Null if the syntax is not supported or the starting directory is unknown. */
function patternOf(specifier: string, location: Location): Pattern | null {
  if (/[[\]\\!{}]/.test(specifier) || specifier.split(ANY_DEPTH).length > MOST_DEPTHS + 1)
    return null;
  if (specifier.startsWith('//')) return { names: segmentsOf(specifier, location)!, literal: 0 };
  const atHome = specifier === '~' || specifier.startsWith('~/');
  const base = segmentsOf(atHome ? '~' : '.', location);
  if (base === null) return null;
  const deep = !atHome && !specifier.replace(/\/+$/, '').includes('/');
  const names = deep
    ? [...base, ANY_DEPTH, specifier.replace(/\/+$/, '')]
    : segmentsOf(atHome ? specifier : `./${specifier}`, location)!;
  // A `..` may have removed some of the base's segments.
  const changed = base.findIndex((name, at) => names[at] !== name);
  return { names, literal: changed === -1 ? base.length : changed };
}

/**
 * Matches allow rules. A `folder` is allowed only together with everything in it. A `.git` must be
 * named explicitly: it contains programs that git starts, and URLs with passwords.
 */
export function allowsPath(
  specifier: string,
  path: readonly string[] | null,
  location: Location,
  folder: boolean,
  steps: Steps,
): Match {
  const pattern = patternOf(specifier, location);
  if (pattern === null || path === null || isTooLong(path)) return 'no';
  if (path.slice(pattern.literal).some(isGit) && !pattern.names.some(isGit)) return 'no';
  return reach(folder ? withoutTail(pattern) : pattern, path, steps) === 'in' ? 'yes' : 'no';
}

/**
 * Matches deny and ask rules. For a `folder` that may contain a matching path, the result is
 * `maybe`.
 */
export function stopsPath(
  specifier: string,
  path: readonly string[] | null,
  location: Location,
  folder: boolean,
  steps: Steps,
): Match {
  const pattern = anyCase(patternOf(specifier, location));
  if (pattern === null || path === null || isTooLong(path)) return 'maybe';
  const reached = reach(folder ? withoutTail(pattern) : pattern, path.map(lower), steps);
  if (reached === 'in') return 'yes';
  if (reached === 'unknown' || isOpaque(path)) return 'maybe';
  return folder && reached === 'above' ? 'maybe' : 'no';
}

const lower = (name: string): string => name.toLowerCase();

/** Deny and ask rules ignore case, because some file systems do. */
const anyCase = (pattern: Pattern | null): Pattern | null =>
  pattern && { ...pattern, names: pattern.names.map(lower) };

/** A path that a word in a command may name, in lower case. */
export interface NamedPath {
  readonly path: readonly string[];
  readonly folder: boolean;
  /** The path is only part of a word, and the word may be text that merely mentions the path. */
  readonly unsure?: boolean;
}

/**
 * For deny and ask rules: `in` if one of the paths matches, `above` if one is a folder that may
 * contain a match, `unknown` if one has an unknown target.
 */
export function reachOf(
  specifier: string,
  paths: readonly NamedPath[],
  location: Location,
  steps: Steps,
): 'in' | 'above' | 'unknown' | 'out' {
  const pattern = anyCase(patternOf(specifier, location));
  if (pattern === null) return 'unknown';
  const whole = withoutTail(pattern);
  const least = whole.names.filter((name) => name !== ANY_DEPTH).length;
  let isAbove = false;
  let isUnknown = false;
  for (const { path, folder, unsure = false } of paths) {
    isUnknown ||= isOpaque(path);
    // No system opens a path of this length; see `isTooLong`.
    if (2 * path.length > PATH_MAX) {
      isUnknown = true;
      continue;
    }
    // A shortcut for the many files whose paths are too short to match.
    if (!folder && path.length < least) continue;
    const reached = reach(pattern, path, steps);
    if (reached === 'in' && !unsure) return 'in';
    if (reached === 'unknown') return 'unknown';
    isUnknown ||= reached === 'in';
    isAbove ||= reached === 'above' && (folder || reach(whole, path, steps) === 'in');
  }
  return isUnknown ? 'unknown' : isAbove ? 'above' : 'out';
}

/** Drops trailing wildcards: a rule for everything in a folder is a rule for the folder. */
function withoutTail({ names, literal }: Pattern): Pattern {
  const end = names.findLastIndex(
    (name, at) => at < literal || (name !== ANY_DEPTH && name !== '*'),
  );
  return { names: names.slice(0, end + 1), literal };
}

/**
 * How many more steps may be spent on comparing one call with all rules. Each comparison is
 * bounded, but a call may have thousands of names, and a session hundreds of rules.
 */
export interface Steps {
  left: number;
}

/**
 * Whether the path or a folder above it matches the pattern (`in`), or something below the path may
 * (`above`); `unknown` if there are no steps left to find out. All possible ways to match `**` advance
 * together, one step per segment.
 */
function reach(
  { names, literal }: Pattern,
  path: readonly string[],
  steps: Steps,
): 'in' | 'above' | 'unknown' | 'out' {
  if (names.length === 0) return 'in';
  const isAnyDepth = (at: number): boolean => at >= literal && names[at] === ANY_DEPTH;
  let [states, next] = [new Uint8Array(names.length), new Uint8Array(names.length)];
  /**
   * Activates the state at `from`, and the states after any `**`; false at the end of the pattern.
   */
  const open = (from: number): boolean => {
    let at = from;
    for (; at < names.length && isAnyDepth(at); at++) next[at] = 1;
    if (at < names.length) next[at] = 1;
    return from < names.length;
  };
  open(0);
  for (const segment of path) {
    [states, next] = [next, states];
    next.fill(0);
    let isAlive = false;
    steps.left -= names.length;
    if (steps.left < 0) return 'unknown';
    for (let at = 0; at < names.length; at++) {
      if (states[at] === 0) continue;
      const deep = isAnyDepth(at);
      const fits =
        deep || (at < literal ? names[at] === segment : fitsName(names[at]!, segment, steps));
      if (!fits) continue;
      if (at + 1 === names.length) return 'in';
      isAlive = open(deep ? at : at + 1) || isAlive;
    }
    if (!isAlive) return 'out';
  }
  return 'above';
}

/** Matches `*` and `?` within one segment. Backtracking to the last `*` is enough. */
export function fitsName(pattern: string, name: string, steps?: Steps): boolean {
  let [at, in_, star, from, taken] = [0, 0, -1, 0, 0];
  while (in_ < name.length) {
    taken += 1;
    if (pattern[at] === '*') {
      star = at++;
      from = in_;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[in_])) {
      at++;
      in_++;
    } else if (star !== -1) {
      at = star + 1;
      in_ = ++from;
    } else {
      if (steps !== undefined) steps.left -= taken;
      return false;
    }
  }
  if (steps !== undefined) steps.left -= taken;
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
