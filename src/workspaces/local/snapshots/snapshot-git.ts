import { constants, type Stats } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import type { FileChange } from '../../../contract/session-event.ts';
import { fitPatch, listChanges, PATCH_BYTES } from '../../file-changes.ts';
import type { WorkspaceDiff } from '../../runtime.ts';
import { Parents, pathBelow, readStats } from './file-walk.ts';
import { PrivateGit } from './git-index.ts';
import { findGit, type GitPlace } from './git-place.ts';
import type { Snapshot, SnapshotOptions } from './snapshot.ts';

type GitSnapshot = Extract<Snapshot, { kind: 'git' }>;

/** Larger files, and files beyond the total, are identified only by size and time. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 256 * 1024 * 1024;

/** Null if the workspace is not in a repository that git can read. */
export async function takeTree(
  path: string,
  { keep, isFirst = false }: Pick<SnapshotOptions, 'keep' | 'isFirst'>,
  signal: AbortSignal,
): Promise<GitSnapshot | null> {
  try {
    const place = await findGit(path);
    if (place === null) return null;
    return await PrivateGit.with(place, keep, signal, async (git) => {
      if (await isIgnored(git)) return null;
      const { snapshot } = await treeOf(git);
      if (isFirst) await prune(git, snapshot);
      return snapshot;
    });
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** If fewer than this many of git's 256 object folders exist, removing objects saves little. */
const MANY_FOLDERS = 100;

/** Removes objects that only earlier snapshots used. May fail; the next snapshot tries again. */
async function prune(git: PrivateGit, { tree }: GitSnapshot): Promise<void> {
  if ((await readdir(git.objects)).length < MANY_FOLDERS) return;
  await git.run(['prune', '--expire=now', tree]);
}

/** Whether the repository ignores the workspace; if so, the workspace is not part of it. */
async function isIgnored(git: PrivateGit): Promise<boolean> {
  const { prefix } = git.place;
  if (prefix === '') return false;
  return (await git.run(['check-ignore', '-q', '--', `./${prefix}`])).code !== 1;
}

interface Tree {
  readonly snapshot: GitSnapshot;
  /** There are nested repositories; only their commit is visible, or nothing at all. */
  readonly others: boolean;
}

async function treeOf(git: PrivateGit): Promise<Tree> {
  const changed = ['ls-files', '-z', '-o', '-m', '-d', '--exclude-standard', ...only(git.place)];
  const names = new Set(namesIn(await git.must(changed)));
  const { add, remove, large } = await sort(git.place, names);
  // Removals come first, because a directory may have taken a file's place.
  if (remove.length > 0) {
    await git.must(['update-index', '-z', '--force-remove', '--stdin'], listOf(remove));
  }
  if (add.length > 0) {
    await git.must(
      ['update-index', '-z', '--add', '--replace', '--remove', '--stdin'],
      listOf(add),
    );
  }
  const tree = (await git.must(['write-tree', '--missing-ok'])).toString('latin1').trim();
  const cloned = [...names].some((name) => name.endsWith('/'));
  const others = cloned || (await readStats(git.place.top, '.gitmodules')) !== null;
  return { snapshot: { kind: 'git', tree, large }, others };
}

const only = ({ prefix }: GitPlace): string[] =>
  prefix === '' ? [] : ['--', `:(literal)${prefix}`];

interface Sorted {
  readonly add: string[];
  readonly remove: string[];
  readonly large: GitSnapshot['large'];
}

/**
 * Sorts what differs from the index into files to read, paths that are no longer files, and files
 * that are too large.
 */
async function sort({ top }: GitPlace, names: ReadonlySet<string>): Promise<Sorted> {
  const sorted: Sorted = { add: [], remove: [], large: [] };
  const parents = new Parents(top);
  let bytes = 0;
  for (const name of names) {
    // A nested repository that was not added.
    if (name.endsWith('/')) continue;
    const stats = (await parents.hold(name)) ? await readStats(top, name) : null;
    if (stats === null) sorted.remove.push(name);
    else if (stats.isDirectory()) {
      const isRepository = (await readStats(top, `${name}/.git`)) !== null;
      (isRepository ? sorted.add : sorted.remove).push(name);
    } else if (!stats.isFile() && !stats.isSymbolicLink()) sorted.remove.push(name);
    else if (!(await isReadable(top, name, stats))) sorted.remove.push(name);
    else if (stats.size > FILE_BYTES || bytes + stats.size > ALL_BYTES) {
      sorted.remove.push(name);
      sorted.large.push([name, stats.size, stats.mtimeMs]);
    } else {
      bytes += stats.size;
      sorted.add.push(name);
    }
  }
  return sorted;
}

const isReadable = (top: string, name: string, stats: Stats): Promise<boolean> =>
  stats.isSymbolicLink()
    ? Promise.resolve(true)
    : access(pathBelow(top, name), constants.R_OK).then(
        () => true,
        () => false,
      );

export async function diffTrees(
  path: string,
  before: GitSnapshot,
  keep: string,
  signal: AbortSignal,
): Promise<WorkspaceDiff> {
  const place = await findGit(path);
  if (place === null) throw new Error('The workspace is no longer in a git repository.');
  return PrivateGit.with(place, keep, signal, async (git) => {
    const { snapshot: now, others } = await treeOf(git);
    const trees = [
      'diff-tree',
      '-r',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
    ];
    const both = [before.tree, now.tree, ...only(place)];
    const { code, stdout, cut } = await git.run([...trees, '-z', '--name-status', ...both]);
    if (code !== 0 && !cut) {
      throw new Error('The earlier state of the workspace is no longer stored.');
    }
    const { files, truncated } = listChanges(
      within(place, withLarge(changesIn(stdout), before.large, now.large)),
    );
    const all = await git.run([...trees, '-p', ...both], { maxBytes: 2 * PATCH_BYTES });
    const text = all.stdout.toString('utf8');
    // The last line may be incomplete.
    const { patch, ...fitted } = fitPatch(
      all.cut ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
    );
    return {
      files,
      ...(patch === '' ? {} : { patch }),
      truncated: truncated || cut || all.cut || fitted.truncated || others,
      ...(others ? { note: 'Nested repositories were not compared.' } : {}),
    };
  });
}

type Changes = Map<string, FileChange['change']>;
const CHANGES: Readonly<Record<string, FileChange['change']>> = { A: 'added', D: 'deleted' };

function changesIn(output: Buffer): Changes {
  const words = namesIn(output);
  const changes: Changes = new Map();
  for (let i = 0; i + 1 < words.length; i += 2) {
    changes.set(words[i + 1]!, CHANGES[words[i]!] ?? 'modified');
  }
  return changes;
}

/** Large files are in no tree, so their changes are derived from size and time. */
function withLarge(
  changes: Changes,
  before: GitSnapshot['large'],
  now: GitSnapshot['large'],
): Changes {
  const [old, fresh] = [before, now].map(
    (large) => new Map(large.map(([path, ...rest]) => [path, rest.join()])),
  ) as [Map<string, string>, Map<string, string>];
  for (const path of new Set([...old.keys(), ...fresh.keys()])) {
    const change = changes.get(path);
    const was = old.has(path) || change === 'deleted' || change === 'modified';
    const is = fresh.has(path) || change === 'added' || change === 'modified';
    if (was && is && old.get(path) === fresh.get(path)) changes.delete(path);
    else changes.set(path, was ? (is ? 'modified' : 'deleted') : 'added');
  }
  return changes;
}

/** Relative to the workspace. */
function within({ prefix }: GitPlace, changes: Changes): Changes {
  const skip = prefix === '' ? 0 : Buffer.byteLength(prefix) + 1;
  return new Map([...changes].map(([path, change]) => [path.slice(skip), change]));
}

const namesIn = (output: Buffer): string[] => output.toString('latin1').split('\0').slice(0, -1);
const listOf = (names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
