import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf, systemOpener } from './local/files/open-folder.ts';
import { removeEntry } from './local/files/remove-entry.ts';

/** How often to start again if a program adds files to a folder while it is being removed. */
const RETRIES = 3;

/**
 * Removes a directory and its contents without following links, however deep the directory is and
 * even if parts of it are read-only.
 */
export async function removeTree(path: string): Promise<void> {
  for (let retries = 0; ; retries++) {
    try {
      return await removeOnce(path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (codeOf(error) !== 'ENOTEMPTY' || retries === RETRIES) throw error;
    }
  }
}

async function removeOnce(path: string): Promise<void> {
  const parent = await systemOpener.root(await realpath(dirname(path)));
  try {
    await removeEntry(systemOpener, parent, Buffer.from(basename(path)));
  } finally {
    await parent.close();
  }
}
