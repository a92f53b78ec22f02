import { randomUUID } from 'node:crypto';
import { chmod, lstat, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { below, codeOf, type FolderOpener, type OpenFolder } from './open-folder.ts';

/** Deeper folders are moved to the top before their content is removed. */
const DEPTH = 32;
/** So are folders with longer paths, before a path exceeds what systems accept (1,024 on macOS). */
const PATH_LENGTH = 512;
/** How many names of a folder to read at once. */
const NAMES = 512;

/**
 * Removes an entry of a folder with everything below it. `fs.rm` is not used because it descends by
 * path: if a folder were replaced by a link at the right moment, it would remove what the link
 * leads to.
 *
 * Every level that it descends keeps a descriptor open, and an agent can make a folder deeper than
 * the process has descriptors. So folders beyond a certain depth are first moved up.
 */
export async function removeEntry(
  opener: FolderOpener,
  folder: OpenFolder,
  name: Buffer,
): Promise<void> {
  if (await tryUnlink(folder, name)) return;
  await makeWritable(folder, name);
  const top = await opener.sub(folder, name);
  try {
    const moved: Buffer[] = [];
    await removeAll({ opener, top, moved }, top, 1);
    for (let next = moved.pop(); next !== undefined; next = moved.pop()) {
      await remove({ opener, top, moved }, top, next, 1).catch(unlessGone);
    }
  } finally {
    await top.close();
  }
  await rmdir(below(folder.path, name));
}

interface Removal {
  readonly opener: FolderOpener;
  /** The folder that is being removed. */
  readonly top: OpenFolder;
  /** The names of the folders that were moved to it. */
  readonly moved: Buffer[];
}

async function remove(
  removal: Removal,
  folder: OpenFolder,
  name: Buffer,
  depth: number,
): Promise<void> {
  if (await tryUnlink(folder, name)) return;
  await makeWritable(folder, name);
  // What is directly in the top folder is not moved, because it would be moved again and again.
  const isDeep = depth >= DEPTH || (depth > 1 && folder.path.length >= PATH_LENGTH);
  if (isDeep && (await moveUp(removal, folder, name))) return;
  const inner = await removal.opener.sub(folder, name);
  try {
    await removeAll(removal, inner, depth + 1);
  } finally {
    await inner.close();
  }
  await rmdir(below(folder.path, name));
}

/** Removes what a folder contains. */
async function removeAll(removal: Removal, folder: OpenFolder, depth: number): Promise<void> {
  for (;;) {
    const names = await someNames(folder);
    for (const name of names) await remove(removal, folder, name, depth).catch(unlessGone);
    if (names.length < NAMES) return;
  }
}

/** The first names of a folder, which is closed again before anything is removed. */
async function someNames(folder: OpenFolder): Promise<Buffer[]> {
  const names: Buffer[] = [];
  for await (const entry of await opendir(folder.path, { encoding: 'buffer' as BufferEncoding })) {
    names.push(entry.name as unknown as Buffer);
    if (names.length === NAMES) break;
  }
  return names;
}

/** Removes the entry, unless it is a folder; returns whether it did. */
async function tryUnlink(folder: OpenFolder, name: Buffer): Promise<boolean> {
  try {
    await unlink(below(folder.path, name));
    return true;
  } catch (error) {
    // Linux and macOS report a folder with different codes.
    if (['EISDIR', 'EPERM'].includes(codeOf(error))) return false;
    throw error;
  }
}

/**
 * Some tools create read-only folders (Go's module cache), from which nothing can be removed. Only
 * the permissions may be changed through a link that has just replaced the folder, and an agent
 * could change those itself.
 */
async function makeWritable(folder: OpenFolder, name: Buffer): Promise<void> {
  const path = below(folder.path, name);
  const stats = await lstat(path);
  if (!stats.isDirectory() || (stats.mode & OWNERS) === OWNERS) return;
  // If this fails, removing the folder says why.
  await chmod(path, OWNERS).catch(() => {});
}

/** The owner may read, write and enter the folder. */
const OWNERS = 0o700;

/** Returns false if the folder cannot be moved, such as a folder of an image in a container. */
async function moveUp({ top, moved }: Removal, folder: OpenFolder, name: Buffer): Promise<boolean> {
  const fresh = Buffer.from(`.baton-${randomUUID()}`);
  try {
    await rename(below(folder.path, name), below(top.path, fresh));
  } catch {
    return false;
  }
  moved.push(fresh);
  return true;
}

const unlessGone = (error: unknown): void => {
  if (codeOf(error) !== 'ENOENT') throw error;
};
