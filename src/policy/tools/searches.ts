import { readsOfWords } from './named-paths.ts';
import { baseName, FIND_RUNS, type Plain, RESERVED, RUNNERS } from './words/plain-words.ts';

/* Finds the parts of a command that read or move whole folders. */

/** Programs that read or move whole folders. */
const OF_FOLDERS: ReadonlySet<string> = new Set(
  (
    '7z ack ag bsdtar chmod chown cp cpio diff docker egrep fgrep find git grep gzip ln mv pax podman rclone rg ' +
    'rgrep rm rsync scp tar ugrep zgrep zip'
  ).split(' '),
);
/** Options that make `find` do more than list names. */
const FIND_USES: ReadonlySet<string> = new Set([...FIND_RUNS, '-delete', '-fprintf']);
const TAKES_NAMES: ReadonlySet<string> = new Set(['xargs', 'parallel']);

/** A part of a command that searches the folders that its words name. */
export interface Search {
  readonly words: readonly string[];
  /** It also searches the working directory. */
  readonly here: boolean;
  /** It also searches the whole repository that the working directory is in. */
  readonly repository: boolean;
}

/**
 * The parts that search folders. In a command that is not plain, a word may be anything, such as
 * text to be written, so only known programs are considered.
 */
export function searchesIn(
  parts: readonly (readonly string[])[],
  { words: plain }: Plain,
  cwd: string | undefined,
): Search[] {
  const isPiped = parts.some(([first = '']) => TAKES_NAMES.has(baseName(first)));
  return parts.flatMap((part): Search[] => {
    const words = plain ? part : fromProgram(part);
    if (words === null) return [];
    const reads =
      words[0] === 'find' && (isPiped || words.some((word) => FIND_USES.has(word)))
        ? 'folders'
        : readsOfWords(words, cwd);
    if (reads === 'names' || reads === 'files') return [];
    const here = reads === 'tree' || reads === 'repository';
    const isGit = baseName(words[0]!) === 'git';
    // Variables before git may name its repository.
    return [{ words: isGit ? part : words, here, repository: here && isGit }];
  });
}

/**
 * The words from the program that works on folders onwards: `sudo -u me /bin/tar c /` becomes `tar
 * c /`. Null if there is none.
 */
function fromProgram(words: readonly string[]): string[] | null {
  const isBefore = (word: string): boolean => /^\w+\+?=/.test(word) || RESERVED.has(word);
  let at = words.findIndex((word) => !isBefore(word));
  if (at === -1) return null;
  if (RUNNERS.has(baseName(words[at]!))) {
    at = words.findIndex((word, i) => i > at && OF_FOLDERS.has(baseName(word)));
    if (at === -1) return null;
  }
  const program = baseName(words[at]!);
  return OF_FOLDERS.has(program) ? [program, ...words.slice(at + 1)] : null;
}
