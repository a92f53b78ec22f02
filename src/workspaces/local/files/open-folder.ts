import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { FileError } from '../../files.ts';

/*
 * Opens folders one path component at a time, without following links. An agent can replace any
 * folder of its workspace with a link between two system calls, so checking a path beforehand
 * proves nothing.
 *
 * On Linux each folder is opened with O_NOFOLLOW, and the next name is opened through its
 * descriptor (/proc/self/fd/N/name, like openat in C): whatever is moved or linked elsewhere
 * afterwards, the descriptor still refers to the same folder. Rejected: opening the whole path and
 * comparing the descriptor's path afterwards, because by then a file may already have been created,
 * emptied or removed somewhere else.
 *
 * macOS has no such paths, and Node has no openat. So on macOS, every step is followed by a check
 * that the folder's real path is unchanged and that the opened file is the one with that name. Only
 * a program that swaps a folder back and forth within the right microseconds can get past this, and
 * it gains nothing that the agent cannot reach anyway.
 */

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

export interface OpenFolder {
  /** The path to use in system calls. */
  readonly path: Buffer;
  /** Rejects unless `file` is really the file with that name in this folder. */
  verify(file: FileHandle, name: Buffer): Promise<void>;
  close(): Promise<void>;
}

export const below = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, SLASH, name]);
const SLASH = Buffer.from('/');

/** How to open the root and its sub-folders. */
export interface FolderOpener {
  /** Rejects if the path now leads elsewhere through a link. */
  root(path: string): Promise<OpenFolder>;
  sub(folder: OpenFolder, name: Buffer): Promise<OpenFolder>;
}

/** For Linux. */
export const byDescriptor: FolderOpener = {
  root: async (path) => {
    const folder = await hold(Buffer.from(path));
    const real = await readlink(folder.path).catch(() => null);
    if (real === path) return folder;
    await folder.close();
    throw elsewhere(path);
  },
  sub: (folder, name) => hold(below(folder.path, name)),
};

async function hold(path: Buffer): Promise<OpenFolder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return {
    path: Buffer.from(`/proc/self/fd/${handle.fd}`),
    verify: async () => {},
    close: () => handle.close(),
  };
}

/** Opens folders by name, on systems without /proc. */
export const byName: FolderOpener = {
  root: (path) => named(Buffer.from(path), path),
  sub: (folder, name) => {
    const path = below(folder.path, name);
    return named(path, path.toString());
  },
};

async function named(path: Buffer, shown: string): Promise<OpenFolder> {
  const check = async (): Promise<void> => {
    if (!(await realpath(path, 'buffer')).equals(path)) throw elsewhere(shown);
  };
  if (!(await lstat(path)).isDirectory()) throw notAFolder(shown);
  await check();
  return {
    path,
    verify: async (file, name) => {
      await check();
      const [opened, there] = await Promise.all([file.stat(), lstat(below(path, name))]);
      if (opened.ino !== there.ino || opened.dev !== there.dev) throw elsewhere(shown);
    },
    close: async () => {},
  };
}

export const systemOpener = process.platform === 'linux' ? byDescriptor : byName;

/** Opens a sub-folder; creates it if `make` is set. */
export async function enter(
  opener: FolderOpener,
  folder: OpenFolder,
  name: Buffer,
  make: boolean,
): Promise<OpenFolder> {
  if (make) {
    await mkdir(below(folder.path, name), { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
  try {
    return await opener.sub(folder, name);
  } catch (error) {
    // The system reports a link in the same way as a file.
    if (['ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw notAFolder(name.toString(), error);
    throw error;
  }
}

const notAFolder = (shown: string, cause?: unknown): FileError =>
  new FileError('not_a_folder', `${shown} is not a directory, but a file or a link.`, cause);

const elsewhere = (shown: string): FileError =>
  new FileError('outside', `${shown} leads elsewhere through a link.`);

export const codeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null | undefined)?.code);
