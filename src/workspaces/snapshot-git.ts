import { constants, type Stats } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import type { FileChange } from '../contract/session-event.ts';
import { fitPatch, listChanges, PATCH_BYTES } from './file-changes.ts';
import { look, Parents, pathBelow } from './file-walk.ts';
import { PrivateGit } from './git-index.ts';
import { findGit, type GitPlace } from './git-place.ts';
import type { LookOptions, Snapshot, WorkspaceDiff } from './snapshot.ts';

type GitSnapshot = Extract<Snapshot, { kind: 'git' }>;

/** Larger files, and what exceeds all of them together, are known by size and time only. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 256 * 1024 * 1024;

/** Null if the workspace is in no repository that git can read. */
export async function takeTree(
  path: string,
  { keep, isFirst = false }: Pick<LookOptions, 'keep' | 'isFirst'>,
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

/** With fewer of git's 256 folders than this there is not much to remove. */
const MANY_FOLDERS = 100;

/** Removes what only earlier snapshots had. It may fail: the next one tries again. */
async function prune(git: PrivateGit, { tree }: GitSnapshot): Promise<void> {
  if ((await readdir(git.objects)).length < MANY_FOLDERS) return;
  await git.run(['prune', '--expire=now', tree]);
}

/** A workspace below a repository that ignores it is none of its business. */
async function isIgnored(git: PrivateGit): Promise<boolean> {
  const { prefix } = git.place;
  if (prefix === '') return false;
  return (await git.run(['check-ignore', '-q', '--', `./${prefix}`])).code !== 1;
}

interface Tree {
  readonly snapshot: GitSnapshot;
  /** There are repositories in it, of which only the commit is seen, or nothing. */
  readonly others: boolean;
}

async function treeOf(git: PrivateGit): Promise<Tree> {
  const changed = ['ls-files', '-z', '-o', '-m', '-d', '--exclude-standard', ...only(git.place)];
  const names = new Set(namesIn(await git.must(changed)));
  const { add, remove, large } = await sort(git.place, names);
  // What is gone first: a directory may stand in its place.
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
  const others = cloned || (await look(git.place.top, '.gitmodules')) !== null;
  return { snapshot: { kind: 'git', tree, large }, others };
}

const only = ({ prefix }: GitPlace): string[] =>
  prefix === '' ? [] : ['--', `:(literal)${prefix}`];

interface Sorted {
  readonly add: string[];
  readonly remove: string[];
  readonly large: GitSnapshot['large'];
}

/** What differs from the index: what git may read, what is no longer a file, and what is too much. */
async function sort({ top }: GitPlace, names: ReadonlySet<string>): Promise<Sorted> {
  const sorted: Sorted = { add: [], remove: [], large: [] };
  const parents = new Parents(top);
  let bytes = 0;
  for (const name of names) {
    // A repository of its own, which nobody has added.
    if (name.endsWith('/')) continue;
    const found = (await parents.hold(name)) ? await look(top, name) : null;
    if (found === null) sorted.remove.push(name);
    else if (found.isDirectory()) {
      const isRepository = (await look(top, `${name}/.git`)) !== null;
      (isRepository ? sorted.add : sorted.remove).push(name);
    } else if (!found.isFile() && !found.isSymbolicLink()) sorted.remove.push(name);
    else if (!(await isReadable(top, name, found))) sorted.remove.push(name);
    else if (found.size > FILE_BYTES || bytes + found.size > ALL_BYTES) {
      sorted.remove.push(name);
      sorted.large.push([name, found.size, found.mtimeMs]);
    } else {
      bytes += found.size;
      sorted.add.push(name);
    }
  }
  return sorted;
}

const isReadable = (top: string, name: string, found: Stats): Promise<boolean> =>
  found.isSymbolicLink()
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
      throw new Error('What the workspace was like before is no longer stored.');
    }
    const { files, truncated } = listChanges(
      within(place, withLarge(changesIn(stdout), before.large, now.large)),
    );
    const all = await git.run([...trees, '-p', ...both], { maxBytes: 2 * PATCH_BYTES });
    const text = all.stdout.toString('utf8');
    // The last line may be half of one.
    const { patch, ...fitted } = fitPatch(
      all.cut ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
    );
    return {
      files,
      ...(patch === '' ? {} : { patch }),
      truncated: truncated || cut || all.cut || fitted.truncated || others,
      ...(others ? { note: 'Repositories within it were not looked at.' } : {}),
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

/** A large file is in no tree: what the trees say of it is put right. */
function withLarge(
  changes: Changes,
  before: GitSnapshot['large'],
  now: GitSnapshot['large'],
): Changes {
  const [old, fresh] = [before, now].map(
    (large) => new Map(large.map(([path, ...rest]) => [path, rest.join()])),
  ) as [Map<string, string>, Map<string, string>];
  for (const path of new Set([...old.keys(), ...fresh.keys()])) {
    const told = changes.get(path);
    const was = old.has(path) || told === 'deleted' || told === 'modified';
    const is = fresh.has(path) || told === 'added' || told === 'modified';
    if (was && is && old.get(path) === fresh.get(path)) changes.delete(path);
    else changes.set(path, was ? (is ? 'modified' : 'deleted') : 'added');
  }
  return changes;
}

/** As seen from the workspace. */
function within({ prefix }: GitPlace, changes: Changes): Changes {
  const skip = prefix === '' ? 0 : Buffer.byteLength(prefix) + 1;
  return new Map([...changes].map(([path, change]) => [path.slice(skip), change]));
}

const namesIn = (output: Buffer): string[] => output.toString('latin1').split('\0').slice(0, -1);
const listOf = (names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
