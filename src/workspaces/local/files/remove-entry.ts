import { opendir, rmdir, unlink } from 'node:fs/promises';
import { below, codeOf, type FolderOpener, type OpenFolder } from './open-folder.ts';

/**
 * Removes an entry of a folder with everything below it. `fs.rm` is not used because it descends by
 * path: if a folder were replaced by a link at the right moment, it would remove what the link
 * leads to.
 */
export async function removeEntry(
  opener: FolderOpener,
  folder: OpenFolder,
  name: Buffer,
): Promise<void> {
  const path = below(folder.path, name);
  try {
    return await unlink(path);
  } catch (error) {
    // Linux and macOS report a folder with different codes.
    if (!['EISDIR', 'EPERM'].includes(codeOf(error))) throw error;
  }
  const inner = await opener.sub(folder, name);
  try {
    for await (const entry of await opendir(inner.path, { encoding: 'buffer' as BufferEncoding })) {
      await removeEntry(opener, inner, entry.name as unknown as Buffer).catch(unlessGone);
    }
  } finally {
    await inner.close();
  }
  await rmdir(path);
}

const unlessGone = (error: unknown): void => {
  if (codeOf(error) !== 'ENOENT') throw error;
};
