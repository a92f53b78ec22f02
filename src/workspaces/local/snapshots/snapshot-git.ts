import { readdir } from 'node:fs/promises';
import { changedNames, listOf } from './changed-names.ts';
import { readStats } from './file-walk.ts';
import { PrivateGit } from './git-index.ts';
import { findGit, folderAt, type GitPlace } from './git-place.ts';
import { NoGitError } from './git-process.ts';
import type { SnapshotOptions, TreeSnapshot } from './snapshot.ts';
import { FileSorter, type Sized } from './sort-files.ts';

/** How many large files are listed; the list is stored with every attempt. */
const LARGE_MAX = 5000;
const LARGE_BYTES = 512 * 1024;
/**
 * How much git reads in one batch; the deadline is checked between batches. On slow storage even a
 * few hundred files take seconds, so the first batch is small, and each batch that takes less than
 * BATCH_MS allows the next one to be larger.
 */
const BATCH_BYTES = 16 * 1024 * 1024;
const BATCH_FILES = { first: 64, least: 16, most: 2048 };
const BATCH_MS = 200;

/** The share of the time limit in which a plain folder is searched for new files. */
const WALK_SHARE = 0.5;
/**
 * The share of the remaining time in which files are read; the other files are only listed. A shell
 * command has to wait until the files have been read. The share is smaller for a plain folder,
 * because its index is kept and the next snapshot continues from there.
 */
const READ_SHARE = { git: 0.6, folder: 0.1 };

export interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** How many entries of a plain folder to visit. */
  readonly entries?: number | undefined;
}

/**
 * If the workspace is in a repository that git can read, takes the repository's tree; otherwise
 * takes the tree of a plain folder.
 */
export async function takeTree(
  path: string,
  options: Pick<SnapshotOptions, 'keep' | 'isFirst'>,
  limits: Limits,
): Promise<TreeSnapshot> {
  const folder = await folderAt(path);
  const place = await findGit(path);
  if (place !== null) {
    try {
      const snapshot = await takeAt(place, options, limits);
      if (snapshot !== null) return snapshot;
    } catch (error) {
      limits.signal.throwIfAborted();
      if (error instanceof NoGitError) throw error;
    }
  }
  return (await takeAt(folder, options, limits))!;
}

/** Null if the repository ignores the workspace, because the workspace is then not part of it. */
const takeAt = (
  place: GitPlace,
  { keep, isFirst = false }: Pick<SnapshotOptions, 'keep' | 'isFirst'>,
  limits: Limits,
): Promise<TreeSnapshot | null> =>
  PrivateGit.with(place, keep, limits.signal, async (git) => {
    if (await isIgnored(git)) return null;
    const { snapshot } = await treeOf(git, limits, null);
    if (isFirst) await prune(git, snapshot);
    await git.keepIndex();
    return snapshot;
  });

/** If fewer than this many of git's 256 object folders exist, removing objects saves little. */
const MANY_FOLDERS = 100;

/**
 * Removes what only earlier snapshots used. This may fail, for example if another process removes
 * the same files; the next snapshot tries again.
 */
async function prune(git: PrivateGit, { tree }: TreeSnapshot): Promise<void> {
  await git.tidy().catch(() => {});
  if ((await readdir(git.objects)).length < MANY_FOLDERS) return;
  await git.run(['prune', '--expire=now', tree]);
}

async function isIgnored(git: PrivateGit): Promise<boolean> {
  const { prefix } = git.place;
  if (prefix === '') return false;
  return (await git.run(['check-ignore', '-q', '--', `./${prefix}`])).code !== 1;
}

export interface Tree {
  readonly snapshot: TreeSnapshot;
  /**
   * Whether there are nested repositories. At most the commit of a nested repository is visible.
   */
  readonly others: boolean;
}

export async function treeOf(
  git: PrivateGit,
  limits: Limits,
  before: TreeSnapshot | null,
): Promise<Tree> {
  const at = Date.now();
  const { repository, top } = git.place;
  const kind = repository === null ? 'folder' : 'git';
  const begun = performance.now();
  const walkUntil = begun + WALK_SHARE * limits.timeoutMs;
  const { names, truncated } = await changedNames(git, { ...limits, deadline: walkUntil });
  const listed = performance.now();
  const deadline = listed + READ_SHARE[kind] * (limits.timeoutMs - (listed - begun));
  // Git adds a trailing slash to the name of a nested repository that has not been added.
  const files = [...names].filter((name) => !name.endsWith('/'));
  const sorter = await FileSorter.of(git, before);
  const large: Sized[] = [];
  const batch = { files: BATCH_FILES.first };
  while (files.length > 0 && performance.now() < deadline) {
    const sorted = await sorter.sort(files.splice(0, BATCH_FILES.most));
    // Removals come first, because a directory may have taken a file's place.
    await removeAll(git, sorted.remove);
    large.push(...sorted.large, ...(await add(git, sorted.add, deadline, batch)));
  }
  await removeAll(git, files);
  // Only the list of a snapshot that will be stored has to be short.
  while (files.length > 0 && (before !== null || fitLarge(large).length === large.length)) {
    const sorted = await sorter.sort(files.splice(0, BATCH_FILES.most));
    large.push(...sorted.large, ...sorted.add);
  }
  const tree = (await git.must(['write-tree', '--missing-ok'])).toString('latin1').trim();
  const cloned = repository !== null && [...names].some((name) => name.endsWith('/'));
  const modules = repository !== null && (await readStats(top, '.gitmodules')) !== null;
  const kept = before === null ? fitLarge(large) : large;
  const snapshot: TreeSnapshot = {
    kind,
    tree,
    large: kept.map(({ name, size, time }) => [name, size, time]),
    at,
    truncated: truncated || files.length > 0 || kept.length < large.length,
  };
  return { snapshot, others: cloned || modules };
}

/**
 * Reads files into the index; returns the files that it had no time for. Adjusts the size of the
 * batches to the speed of the storage.
 */
async function add(
  git: PrivateGit,
  files: readonly Sized[],
  deadline: number,
  batch: { files: number },
): Promise<Sized[]> {
  const rest = [...files];
  for (let begun = performance.now(); rest.length > 0 && begun < deadline; ) {
    let [count, bytes] = [0, 0];
    while (count < rest.length && count < batch.files && bytes < BATCH_BYTES) {
      bytes += rest[count++]!.size;
    }
    const names = listOf(rest.splice(0, count).map(({ name }) => name));
    await git.must(['update-index', '-z', '--add', '--replace', '--remove', '--stdin'], names);
    const ended = performance.now();
    batch.files =
      ended - begun < BATCH_MS
        ? Math.min(2 * batch.files, BATCH_FILES.most)
        : Math.max(batch.files / 2, BATCH_FILES.least);
    begun = ended;
  }
  await removeAll(
    git,
    rest.map(({ name }) => name),
  );
  return rest;
}

async function removeAll(git: PrivateGit, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await git.must(['update-index', '-z', '--force-remove', '--stdin'], listOf(names));
}

function fitLarge(files: readonly Sized[]): readonly Sized[] {
  let bytes = 0;
  return files.filter(({ name }, n) => {
    bytes += name.length;
    return n < LARGE_MAX && bytes <= LARGE_BYTES;
  });
}
