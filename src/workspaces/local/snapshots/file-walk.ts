import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';

const ENTRIES_MAX = 50_000;
/** Names to leave out: they are created by tools, not by people, so they can be created again. */
const LEFT_OUT = new Set(['.git', 'node_modules']);

export const pathBelow = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

export const readStats = (root: string, path: string): Promise<Stats | null> =>
  lstat(pathBelow(root, path)).catch(() => null);

/**
 * Caches which directories exist. A path through a link refers to another file, perhaps elsewhere.
 */
export class Parents {
  readonly #root: string;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Whether every component above the path's last one is a real directory. */
  hold(path: string): Promise<boolean> {
    const slash = path.lastIndexOf('/');
    return slash === -1 ? Promise.resolve(true) : this.#isDirectory(path.slice(0, slash));
  }

  #isDirectory(path: string): Promise<boolean> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const answer = this.hold(path).then(
      async (held) => held && ((await readStats(this.#root, path))?.isDirectory() ?? false),
    );
    this.#known.set(path, answer);
    return answer;
  }
}

export interface Walk {
  readonly root: string;
  /** The maximum number of names to visit, whether they are files or not. */
  readonly entries?: number | undefined;
  /** When to stop, on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Called if something was skipped. */
  readonly onMissed: () => void;
}

/** How many files to inspect at once; one at a time takes many times as long. */
export const TOGETHER = 64;
/** How many names of a directory to read at once. */
const NAMES = 512;

/**
 * Yields the paths of files and links below a directory in batches, those near the top first, with
 * one character per byte. Does not follow links, and does not inspect the files, because for
 * unchanged ones that would take most of the time of a snapshot. Keeps one directory open at a time
 * and reads it in parts, so that neither deep nor wide trees fill up memory. The root must exist.
 */
export async function* filesBelow({
  root,
  entries = ENTRIES_MAX,
  deadline,
  onMissed,
}: Walk): AsyncGenerator<string[]> {
  const directories = [''];
  let visited = 0;
  for (let next = 0; next < directories.length; next++) {
    const directory = directories[next]!;
    let files: string[] = [];
    for await (const entry of await entriesOf(root, directory, onMissed)) {
      if (++visited > entries || performance.now() > deadline) return onMissed();
      const name = (entry.name as unknown as Buffer).toString('latin1');
      const path = directory === '' ? name : `${directory}/${name}`;
      if (entry.isDirectory()) {
        if (!LEFT_OUT.has(name)) directories.push(path);
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        files.push(path);
      }
      if (files.length < NAMES) continue;
      yield files;
      files = [];
    }
    yield files;
  }
}

async function entriesOf(
  root: string,
  directory: string,
  onMissed: () => void,
): Promise<AsyncIterable<Dirent>> {
  const path = directory === '' ? Buffer.from(root) : pathBelow(root, directory);
  try {
    // Node's types lack this encoding, which returns names as bytes.
    return await opendir(path, { encoding: 'buffer' as BufferEncoding, bufferSize: NAMES });
  } catch (error) {
    if (directory === '') throw error;
    onMissed();
    return NONE;
  }
}

const NONE: AsyncIterable<Dirent> = { [Symbol.asyncIterator]: async function* () {} };
