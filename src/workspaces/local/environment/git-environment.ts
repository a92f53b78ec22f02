import { delimiter, dirname } from 'node:path';

/**
 * Environment variables that keep an agent's git out of repositories it was not meant to use (P1):
 * - A home directory may be a repository, and git treats a plain workspace below it as part of that
 *   repository: `git stash -u` would remove, and `git add -A` would add, keys and Baton's database.
 *   So when git runs below `workspaces`, it does not search that folder or any above it for a
 *   repository.
 * - A repository can contain the files of a bare repository, whose `config` names programs that
 *   `git status` would start there. So git uses a bare repository only if `--git-dir` names it.
 */
export function withGitLimits(
  environment: Readonly<Record<string, string>>,
  workspaces: readonly string[],
): Record<string, string> {
  const { GIT_CEILING_DIRECTORIES: ceilings = '', GIT_CONFIG_COUNT: set = '' } = environment;
  const count = /^\d+$/.test(set) ? Number(set) : 0;
  return {
    ...environment,
    // Placed before any empty entry, because git does not resolve links in the entries after an
    // empty one.
    GIT_CEILING_DIRECTORIES: [
      ...new Set(workspaces.flatMap(withAbove)),
      ...(ceilings === '' ? [] : [ceilings]),
    ].join(delimiter),
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.bareRepository',
    [`GIT_CONFIG_VALUE_${count}`]: 'explicit',
  };
}

const withAbove = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...withAbove(dirname(folder))];
