import { filesBelow, Parents, readStats, TOGETHER } from './file-walk.ts';
import type { PrivateGit } from './git-index.ts';
import type { GitPlace } from './git-place.ts';

/** One character per byte, because names need not be UTF-8. */
export const namesIn = (output: Buffer): string[] =>
  output.toString('latin1').split('\0').slice(0, -1);

export const listOf = (names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');

/** Limits a command to the workspace. */
export const only = ({ prefix }: GitPlace): string[] =>
  prefix === '' ? [] : ['--', `:(literal)${prefix}`];

export const listFiles = async (git: PrivateGit, ...options: string[]): Promise<Set<string>> =>
  new Set(namesIn(await git.must(['ls-files', '-z', ...options, ...only(git.place)])));

export const NOT_STORED = 'An earlier state of the workspace is no longer stored.';

/** The files of a tree. */
export async function listTree(git: PrivateGit, tree: string): Promise<string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', tree, ...only(git.place)];
  const { code, stdout, cut } = await git.run(args);
  if (cut) throw new Error('The earlier state of the workspace has too many files.');
  if (code !== 0) throw new Error(NOT_STORED);
  return namesIn(stdout);
}

export interface ChangedNames {
  readonly names: Set<string>;
  /** There are more. */
  readonly truncated: boolean;
}

/**
 * The names that differ from the index. In a repository git lists them, because only it knows what
 * is ignored. In a plain folder nothing is ignored, and the folder may be someone's home directory,
 * so new files are found by walking the folder, up to a limit on entries and a deadline.
 */
export async function changedNames(
  git: PrivateGit,
  limits: { readonly entries?: number | undefined; readonly deadline: number },
): Promise<ChangedNames> {
  const { repository, top } = git.place;
  if (repository !== null) {
    await clearFlags(git, limits.deadline);
    const names = await listFiles(git, '-o', '-m', '-d', '--exclude-standard');
    return { names, truncated: false };
  }
  const known = await listFiles(git);
  const names = await listFiles(git, '-m', '-d');
  let truncated = false;
  const onMissed = (): void => {
    truncated = true;
  };
  for await (const batch of filesBelow({ root: top, onMissed, ...limits })) {
    for (const path of batch) if (!known.has(path)) names.add(path);
  }
  return { names, truncated };
}

/**
 * Git does not check files whose index entries are flagged as assume-unchanged or skip-worktree, so
 * an agent could hide its changes. A sparse checkout flags the files that it leaves out as
 * skip-worktree, so that flag is cleared only for files that exist.
 */
async function clearFlags(git: PrivateGit, deadline: number): Promise<void> {
  const { stdout } = await git.run(['ls-files', '-v', '-z', ...only(git.place)]);
  const assumed: string[] = [];
  const skipped: string[] = [];
  for (const line of namesIn(stdout)) {
    const [flag = '', name] = [line[0], line.slice(2)];
    if (flag >= 'a' && flag <= 'z') assumed.push(name);
    if (flag === 'S' || flag === 's') skipped.push(name);
  }
  await clear(git, '--no-assume-unchanged', assumed);
  const parents = new Parents(git.place.top);
  const exists = async (name: string): Promise<boolean> =>
    (await parents.hold(name)) && (await readStats(git.place.top, name)) !== null;
  const existing: string[] = [];
  for (let i = 0; i < skipped.length && performance.now() < deadline; i += TOGETHER) {
    const batch = skipped.slice(i, i + TOGETHER);
    const present = await Promise.all(batch.map(exists));
    existing.push(...batch.filter((_, n) => present[n]));
  }
  await clear(git, '--no-skip-worktree', existing);
}

async function clear(git: PrivateGit, flag: string, names: readonly string[]): Promise<void> {
  if (names.length > 0) await git.must(['update-index', '-z', flag, '--stdin'], listOf(names));
}
