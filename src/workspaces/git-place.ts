import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

/** A repository that a workspace is in, as files: git is not asked, it would read settings. */
export interface GitPlace {
  /** Where its files are. */
  readonly top: string;
  /** From there to the workspace; empty if they are the same. */
  readonly prefix: string;
  /** Its index and, for a worktree, what is its own. */
  readonly gitDir: string;
  readonly objects: string;
  readonly exclude: string;
  readonly sha256: boolean;
}

/**
 * Null if the workspace is in none, or in one of another user: anybody can make a `.git` in a folder
 * above that is open to all, and git itself refuses those, too (`safe.directory`).
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

/** All of them belong to the user that the server runs as; of a link also the link itself. */
async function isOurs(...paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    paths.flatMap((path) => [lstat(path).catch(() => null), stat(path).catch(() => null)]),
  );
  return found.every((one) => one !== null && one.uid === process.geteuid?.());
}

async function placeOf(path: string, top: string, gitDir: string): Promise<GitPlace | null> {
  const common = resolve(gitDir, (await short(join(gitDir, 'commondir')))?.trim() ?? '.');
  const objects = join(common, 'objects');
  if (!(await isDirectory(objects)) || !(await isOurs(common, objects))) return null;
  const config = (await short(join(common, 'config'))) ?? '';
  return {
    top,
    prefix: relative(top, path),
    gitDir,
    objects,
    exclude: join(common, 'info', 'exclude'),
    sha256: /^\s*objectformat\s*=\s*sha256\s*$/im.test(config),
  };
}

/** A directory, or a file that names one (of a worktree or a submodule). */
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

/** A small file; null if there is none, or it is no small file. */
async function short(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > SHORT_BYTES) return null;
  return readFile(path, 'utf8').catch(() => null);
}
