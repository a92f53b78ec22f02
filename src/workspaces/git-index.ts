import { copyFile, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitPlace } from './git-place.ts';
import { type GitOutput, runGit } from './git-process.ts';

/** An index larger than this is not worth its copy. */
const INDEX_BYTES = 256 * 1024 * 1024;
const OUTPUT_BYTES = 32 * 1024 * 1024;

/**
 * Git with a directory of its own in place of the repository's: its settings, filters, hooks and HEAD
 * are neither read nor written. Only its objects are read, and a copy of its index, which spares
 * reading files that have not changed. Nothing is written but into `keep`: what an agent works on may
 * be secret, and others may read the repository.
 */
export class PrivateGit {
  readonly place: GitPlace;
  /** What was written is here. */
  readonly objects: string;
  readonly #dir: string;
  readonly #signal: AbortSignal;

  private constructor(place: GitPlace, dir: string, objects: string, signal: AbortSignal) {
    this.place = place;
    this.objects = objects;
    this.#dir = dir;
    this.#signal = signal;
  }

  static async with<T>(
    place: GitPlace,
    keep: string,
    signal: AbortSignal,
    work: (git: PrivateGit) => Promise<T>,
  ): Promise<T> {
    const objects = join(keep, 'objects');
    await mkdir(objects, { recursive: true, mode: 0o700 });
    const dir = await mkdtemp(join(keep, 'git-'));
    try {
      await furnish(dir, place);
      return await work(new PrivateGit(place, dir, objects, signal));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  run(
    args: readonly string[],
    more: { input?: Buffer; maxBytes?: number } = {},
  ): Promise<GitOutput> {
    const { place } = this;
    return runGit({
      args,
      cwd: place.top,
      env: environmentOf(this.#dir, this.objects, place),
      signal: this.#signal,
      maxBytes: more.maxBytes ?? OUTPUT_BYTES,
      ...(more.input === undefined ? {} : { input: more.input }),
    });
  }

  /** The output whole, or an error. */
  async must(args: readonly string[], input?: Buffer): Promise<Buffer> {
    const { code, stdout, cut } = await this.run(args, input === undefined ? {} : { input });
    if (code !== 0 || cut) throw new Error(`git ${args[0]} did not succeed.`);
    return stdout;
  }
}

async function furnish(dir: string, { gitDir, exclude, sha256 }: GitPlace): Promise<void> {
  await mkdir(join(dir, 'refs'));
  await mkdir(join(dir, 'info'));
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n');
  const version = sha256 ? 1 : 0;
  const format = sha256 ? '[extensions]\n\tobjectformat = sha256\n' : '';
  await writeFile(join(dir, 'config'), `[core]\n\trepositoryformatversion = ${version}\n${format}`);
  await copySmall(exclude, join(dir, 'info', 'exclude'));
  await copySmall(join(gitDir, 'index'), join(dir, 'index'));
}

/** With its times: by them git knows which entries it must look at again. */
async function copySmall(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null || !found.isFile() || found.size > INDEX_BYTES) return;
  await copyFile(from, to);
  await utimes(to, found.atime, found.mtime);
}

const environmentOf = (
  dir: string,
  own: string,
  { top, objects }: GitPlace,
): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: dir,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  // Objects that are not here are not fetched, which could start anything.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_DIR: dir,
  GIT_WORK_TREE: top,
  GIT_INDEX_FILE: join(dir, 'index'),
  GIT_OBJECT_DIRECTORY: own,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects),
});

/** As git reads one of several paths; a bare one must not have a colon. */
const quoted = (path: string): string =>
  `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
