import { delimiter, dirname } from 'node:path';

/**
 * Keeps the git of agents away from repositories that nobody meant (P1), by adding to what an agent
 * sees of the environment:
 * - a home directory may be a repository, and a workspace in it that is none counts as a part of it:
 *   `git stash -u` takes away, and `git add -A` takes in, keys and Baton's database. So git does not use
 *   the repository of the folder of `workspaces` or of one above it from any folder below;
 * - the files of a bare repository can be tracked in any folder, and their `config` names programs that
 *   `git status` starts there. So one is used only if `--git-dir` names it.
 */
export function withGitLimits(
  environment: Readonly<Record<string, string>>,
  workspaces: readonly string[],
): Record<string, string> {
  const { GIT_CEILING_DIRECTORIES: ceilings = '', GIT_CONFIG_COUNT: set = '' } = environment;
  const count = /^\d+$/.test(set) ? Number(set) : 0;
  return {
    ...environment,
    // First, because links are not followed in what stands behind an empty entry.
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
