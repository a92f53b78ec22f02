import type { FileChange } from '../../../contract/session-event.ts';
import { fitPatch, listChanges, PATCH_BYTES } from '../../file-changes.ts';
import type { WorkspaceDiff } from '../../runtime.ts';
import { NOT_STORED, namesIn, only } from './changed-names.ts';
import { PrivateGit } from './git-index.ts';
import { findGit, folderAt, type GitPlace } from './git-place.ts';
import type { TreeSnapshot } from './snapshot.ts';
import { type Limits, treeOf } from './snapshot-git.ts';

export async function diffTrees(
  path: string,
  before: TreeSnapshot,
  /** Null to compare with the workspace as it is now. */
  after: TreeSnapshot | null,
  keep: string,
  limits: Limits,
): Promise<WorkspaceDiff> {
  if (after !== null && after.kind !== before.kind) {
    throw new Error('The workspace was in a git repository in only one of the two states.');
  }
  // What was a plain folder may have become a repository since then.
  const place = before.kind === 'folder' ? await folderAt(path) : await findGit(path);
  if (place === null) throw new Error('The workspace is no longer in a git repository.');
  return PrivateGit.with(place, keep, limits.signal, async (git) => {
    if (after === null && before.kind === 'folder') {
      // The index may belong to a later snapshot, so the tree is read into it; its data about
      // unchanged files is kept.
      const { code } = await git.run(['read-tree', '-m', before.tree]);
      if (code !== 0) throw new Error(NOT_STORED);
    }
    const { snapshot: now, others } =
      after === null ? await treeOf(git, limits, before) : { snapshot: after, others: false };
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
    if (code !== 0 && !cut) throw new Error(NOT_STORED);
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
      truncated:
        before.truncated ||
        now.truncated ||
        truncated ||
        cut ||
        all.cut ||
        fitted.truncated ||
        others,
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

/**
 * Large files are not part of any tree, so changes to them are recognised by size and modification
 * time.
 */
function withLarge(
  changes: Changes,
  before: TreeSnapshot['large'],
  now: TreeSnapshot['large'],
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

/** Makes the paths relative to the workspace. */
function within({ prefix }: GitPlace, changes: Changes): Changes {
  const skip = prefix === '' ? 0 : Buffer.byteLength(prefix) + 1;
  return new Map([...changes].map(([path, change]) => [path.slice(skip), change]));
}
