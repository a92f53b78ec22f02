import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { readRegular } from './read-regular.ts';

/** The working tree that a snapshot is taken of. */
export interface GitPlace {
  readonly top: string;
  /** The path from `top` to the workspace; empty if they are the same. */
  readonly prefix: string;
  /** The repository around the workspace; null if the workspace is a plain folder. */
  readonly repository: Repository | null;
}

/**
 * A repository that was found without running git, because git would read the repository's
 * settings.
 */
export interface Repository {
  /** The repository's git directory; for a worktree, the worktree's own. */
  readonly gitDir: string;
  readonly objects: string;
  readonly exclude: string;
  readonly sha256: boolean;
}

/** The workspace as a plain folder, even if it is in a repository or contains one. */
export const folderAt = async (workspace: string): Promise<GitPlace> => ({
  top: await realpath(workspace),
  prefix: '',
  repository: null,
});

/**
 * Null if the workspace is not in a repository, or the repository belongs to another user: anyone
 * can create a `.git` in a world-writable folder above, and git refuses such repositories as well
 * (`safe.directory`).
 */
export async function findGit(workspace: string): Promise<GitPlace | null> {
  const path = await realpath(workspace);
  for (let top = path; ; top = dirname(top)) {
    const gitDir = await gitDirOf(join(top, '.git'));
    if (gitDir !== null) {
      return (await isOurs(join(top, '.git'), gitDir)) ? placeOf(path, top, gitDir) : null;
    }
    if (top === dirname(top)) return null;
  }
}

/** Whether all these paths, and the targets of links among them, belong to the server's user. */
async function isOurs(...paths: readonly string[]): Promise<boolean> {
  const owners = await Promise.all(
    paths.flatMap((path) => [lstat(path).catch(() => null), stat(path).catch(() => null)]),
  );
  return owners.every((one) => one !== null && one.uid === process.geteuid?.());
}

async function placeOf(path: string, top: string, gitDir: string): Promise<GitPlace | null> {
  const common = resolve(gitDir, (await short(join(gitDir, 'commondir')))?.trim() ?? '.');
  const objects = join(common, 'objects');
  if (!(await isDirectory(objects)) || !(await isOurs(common, objects))) return null;
  const config = (await short(join(common, 'config'))) ?? '';
  return {
    top,
    prefix: relative(top, path),
    repository: {
      gitDir,
      objects,
      exclude: join(common, 'info', 'exclude'),
      // Matches only blanks: `\s` also matches line breaks, so a file full of those would take
      // quadratic time.
      sha256: /^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t\r]*$/im.test(config),
    },
  };
}

/** `.git` is a directory, or a file that names one (in a worktree or submodule). */
async function gitDirOf(path: string): Promise<string | null> {
  if (await isDirectory(path)) return path;
  const [, named] = /^gitdir: (.+)/.exec((await short(path)) ?? '') ?? [];
  if (named === undefined) return null;
  const gitDir = resolve(dirname(path), named.trim());
  return (await isDirectory(gitDir)) ? gitDir : null;
}

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false;

const SHORT_BYTES = 256 * 1024;

/** Reads a small file; null if it is missing, too large, or not a file. */
async function short(path: string): Promise<string | null> {
  return (await readRegular(path, SHORT_BYTES))?.content.toString() ?? null;
}
