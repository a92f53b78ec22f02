import { filesBelow } from './file-walk.ts';
import type { PrivateGit } from './git-index.ts';
import type { GitPlace } from './git-place.ts';

/** One character per byte, because names need not be UTF-8. */
export const namesIn = (output: Buffer): string[] =>
  output.toString('latin1').split('\0').slice(0, -1);

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
