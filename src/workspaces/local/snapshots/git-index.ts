import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { GitPlace, Repository } from './git-place.ts';
import { type GitOutput, runGit } from './git-process.ts';
import { readRegular } from './read-regular.ts';

/** Copying a larger index costs more than it saves. */
const INDEX_BYTES = 64 * 1024 * 1024;
const OUTPUT_BYTES = 32 * 1024 * 1024;
/** Each use's folder has this prefix. */
const USE = 'git-';
/**
 * Folders older than this were left behind by processes that were killed, because a folder is never
 * in use for nearly that long.
 */
const KILLED_MS = 60 * 60_000;
/** Files of a plain folder are stored unchanged, whatever a .gitattributes among them says. */
const RAW = '* -text -eol -ident -filter -working-tree-encoding\n';
/** Git refuses to store a file that does not have the encoding that its .gitattributes says. */
const ANY_ENCODING = '* -working-tree-encoding\n';

/**
 * Runs git with a private directory, either for a plain folder or in place of the repository's
 * `.git`. Git neither reads nor writes the repository's settings, filters, hooks or HEAD. It reads
 * only the repository's objects and a copy of its index, which saves reading unchanged files; for a
 * plain folder, it reads the index of the last snapshot. Git writes only into `keep`: the files may
 * be secret, and others may read the repository.
 *
 * Each use has its own settings and index beside the shared objects, so concurrent uses do not
 * interfere with each other, and a process that is killed does not interfere with later uses.
 */
export class PrivateGit {
  readonly place: GitPlace;
  /** The directory to which objects are written. */
  readonly objects: string;
  readonly #keep: string;
  readonly #dir: string;
  readonly #signal: AbortSignal;

  private constructor(place: GitPlace, dir: string, keep: string, signal: AbortSignal) {
    this.place = place;
    this.#keep = keep;
    this.objects = join(keep, 'objects');
    this.#dir = dir;
    this.#signal = signal;
  }

  static async with<T>(
    place: GitPlace,
    keep: string,
    signal: AbortSignal,
    work: (git: PrivateGit) => Promise<T>,
  ): Promise<T> {
    await mkdir(join(keep, 'objects'), { recursive: true, mode: 0o700 });
    const dir = await mkdtemp(join(keep, USE));
    try {
      await furnish(dir, place, keep);
      return await work(new PrivateGit(place, dir, keep, signal));
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

  /** Keeps the index of a plain folder for the next use. */
  async keepIndex(): Promise<void> {
    const index = join(this.#dir, 'index');
    if (this.place.repository === null) await rename(index, join(this.#keep, 'index'));
  }

  /** Removes what killed processes have left behind. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#keep)) {
      const path = join(this.#keep, name);
      if (!name.startsWith(USE) || path === this.#dir) continue;
      const { mtimeMs } = await stat(path);
      if (mtimeMs < Date.now() - KILLED_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** Returns git's complete output; throws if git fails or prints too much. */
  async must(args: readonly string[], input?: Buffer): Promise<Buffer> {
    const { code, stdout, cut } = await this.run(args, input === undefined ? {} : { input });
    if (code !== 0 || cut) throw new Error(`git ${args[0]} did not succeed.`);
    return stdout;
  }
}

async function furnish(dir: string, { repository }: GitPlace, keep: string): Promise<void> {
  const sha256 = repository?.sha256 === true;
  await mkdir(join(dir, 'refs'));
  await mkdir(join(dir, 'info'));
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n');
  const version = sha256 ? 1 : 0;
  const format = sha256 ? '[extensions]\n\tobjectformat = sha256\n' : '';
  const core = `[core]\n\trepositoryformatversion = ${version}\n\tsplitIndex = false\n`;
  await writeFile(join(dir, 'config'), `${core}${format}`);
  await copySmall(join(repository?.gitDir ?? keep, 'index'), join(dir, 'index'));
  if (repository !== null) await copyShared(repository, dir);
  if (repository !== null) await copySmall(repository.exclude, join(dir, 'info', 'exclude'));
  const attributes = repository === null ? RAW : ANY_ENCODING;
  await writeFile(join(dir, 'info', 'attributes'), attributes);
}

/**
 * A split index refers to a second file, which contains most of its entries. Copies only that file,
 * because there may be any number of old ones.
 */
async function copyShared({ gitDir, sha256 }: Repository, dir: string): Promise<void> {
  const shared = new Set((await readdir(gitDir)).filter((name) => name.startsWith(SHARED)));
  if (shared.size === 0) return;
  const index = await readFile(join(dir, 'index')).catch(() => Buffer.alloc(0));
  // The extension comes after the entries, most of which are in the other file. It has a signature,
  // a length of four bytes, and then the name of that file.
  const end = index.subarray(-LINK_WITHIN);
  for (let at = end.indexOf(LINK); at !== -1; at = end.indexOf(LINK, at + 1)) {
    const name = `${SHARED}${end.toString('hex', at + 8, at + 8 + (sha256 ? 32 : 20))}`;
    if (shared.has(name)) return copySmall(join(gitDir, name), join(dir, name));
  }
}

const SHARED = 'sharedindex.';
const LINK = 'link';
/** How far from the end of an index the extension is looked for. */
const LINK_WITHIN = 1024 * 1024;

/** Keeps the timestamps, because git uses them to decide which entries to check again. */
async function copySmall(from: string, to: string): Promise<void> {
  const file = await readRegular(from, INDEX_BYTES);
  if (file === null) return;
  await writeFile(to, file.content, { mode: 0o600 });
  await utimes(to, file.atime, file.mtime);
}

const environmentOf = (
  dir: string,
  own: string,
  { top, repository }: GitPlace,
): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: dir,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  // Never fetch missing objects: that could start any program.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_DIR: dir,
  GIT_WORK_TREE: top,
  GIT_INDEX_FILE: join(dir, 'index'),
  GIT_OBJECT_DIRECTORY: own,
  ...(repository === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(repository.objects) }),
});

/** Quotes a path for a list of paths, because an unquoted path must not contain a colon. */
const quoted = (path: string): string =>
  `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
