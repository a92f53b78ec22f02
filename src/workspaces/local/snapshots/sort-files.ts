import { constants, type Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import { listFiles, listTree } from './changed-names.ts';
import { Parents, pathBelow, readStats, TOGETHER } from './file-walk.ts';
import type { PrivateGit } from './git-index.ts';
import type { GitPlace } from './git-place.ts';
import type { TreeSnapshot } from './snapshot.ts';

/** Larger files, and files beyond the total, are identified by size and time only. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 256 * 1024 * 1024;
/** The tolerance for file systems' coarse timestamps and network file systems' own clocks. */
const CLOCK_MS = 1000;

export interface Sized {
  readonly name: string;
  readonly size: number;
  readonly time: number;
}

export interface Sorted {
  readonly add: Sized[];
  readonly remove: string[];
  readonly large: Sized[];
}

/**
 * Sorts what differs from the index into files to read, paths that are no longer files, and files
 * that are too large.
 */
export class FileSorter {
  readonly #place: GitPlace;
  readonly #parents: Parents;
  readonly #before: TreeSnapshot | null;
  readonly #wasLarge: ReadonlyMap<string, string>;
  /** What an earlier snapshot whose list is incomplete may contain. */
  readonly #known: ReadonlySet<string> | null;
  #bytes = 0;

  private constructor(
    place: GitPlace,
    before: TreeSnapshot | null,
    known: ReadonlySet<string> | null,
  ) {
    this.#place = place;
    this.#parents = new Parents(place.top);
    this.#before = before;
    this.#wasLarge = new Map(before?.large.map(([name, ...rest]) => [name, rest.join()]));
    this.#known = known;
  }

  static async of(git: PrivateGit, before: TreeSnapshot | null): Promise<FileSorter> {
    if (before?.truncated !== true) return new FileSorter(git.place, before, null);
    // The tree also contains the repository's untracked files, which are not in its index.
    const known = await listFiles(git);
    for (const name of await listTree(git, before.tree)) known.add(name);
    return new FileSorter(git.place, before, known);
  }

  async sort(names: readonly string[]): Promise<Sorted> {
    const sorted: Sorted = { add: [], remove: [], large: [] };
    for (let i = 0; i < names.length; i += TOGETHER) {
      const batch = names.slice(i, i + TOGETHER);
      const all = await Promise.all(batch.map((name) => statsOf(this.#place, this.#parents, name)));
      for (const [n, name] of batch.entries()) this.#put(sorted, name, all[n]!);
    }
    return sorted;
  }

  #put(sorted: Sorted, name: string, stats: Stats | 'repository' | null): void {
    if (stats === null) return void sorted.remove.push(name);
    if (stats === 'repository') return void sorted.add.push({ name, size: 0, time: 0 });
    // If the earlier list is incomplete, an unlisted file counts as new only if its inode has
    // changed since then.
    if (this.#isUnlisted(name) && stats.ctimeMs < this.#before!.at - CLOCK_MS) return;
    const file = { name, size: stats.size, time: stats.mtimeMs };
    const isSame = this.#wasLarge.get(name) === [file.size, file.time].join();
    if (isSame || file.size > FILE_BYTES || this.#bytes + file.size > ALL_BYTES) {
      sorted.remove.push(name);
      sorted.large.push(file);
    } else {
      this.#bytes += file.size;
      sorted.add.push(file);
    }
  }

  #isUnlisted(name: string): boolean {
    return this.#known !== null && !this.#known.has(name) && !this.#wasLarge.has(name);
  }
}

/** Null if the path is not a file or link that can be read. */
async function statsOf(
  { top, repository }: GitPlace,
  parents: Parents,
  name: string,
): Promise<Stats | 'repository' | null> {
  const stats = (await parents.hold(name)) ? await readStats(top, name) : null;
  if (stats?.isDirectory() === true) {
    const isRepository = repository !== null && (await readStats(top, `${name}/.git`)) !== null;
    return isRepository ? 'repository' : null;
  }
  if (stats === null || !(stats.isFile() || stats.isSymbolicLink())) return null;
  return (await isReadable(top, name, stats)) ? stats : null;
}

const isReadable = (top: string, name: string, stats: Stats): Promise<boolean> =>
  stats.isSymbolicLink()
    ? Promise.resolve(true)
    : access(pathBelow(top, name), constants.R_OK).then(
        () => true,
        () => false,
      );
