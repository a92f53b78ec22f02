import { delimiter, dirname, join } from 'node:path';
import type { RealPaths } from './real-paths.ts';

/**
 * The tops of the repositories that git may use in these folders. Like git, looks for a `.git` in
 * each folder and those above it, stops at the `GIT_CEILING_DIRECTORIES`, and continues past a
 * `.git` that is not a repository.
 */
export async function repositoriesOf(
  folders: readonly string[],
  paths: RealPaths,
  { GIT_CEILING_DIRECTORIES = '' }: Readonly<Record<string, string>>,
): Promise<string[]> {
  const ceilings = new Set(GIT_CEILING_DIRECTORIES.split(delimiter));
  const seen = new Set<string>();
  const tops: string[] = [];
  for (const folder of folders) {
    for (let at = folder; !seen.has(at); at = dirname(at)) {
      // Git ignores the ceilings in the folder where it starts.
      if (at !== folder && ceilings.has(at)) break;
      seen.add(at);
      const { exists, folder: isFolder } = await paths.of(join(at, '.git'));
      if (!exists) continue;
      tops.push(at);
      // A file names the repository of a worktree or submodule.
      if (!isFolder || (await paths.of(join(at, '.git', 'HEAD'))).exists) break;
    }
  }
  return tops;
}
