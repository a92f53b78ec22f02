import { randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BatonError } from '../contract/errors.ts';

/**
 * How a file system refuses hard links. EPERM cannot be about permissions, because the draft was
 * created by the same user in the same folder.
 */
const NO_LINKS = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EMLINK']);

const withoutLinks = (path: string, cause: Error): BatonError =>
  new BatonError(
    'secret_file',
    `${path} cannot be created: the file system of ${dirname(path)} does not support hard links, which some SMB and FUSE mounts lack. Choose a data directory on another file system.`,
    { cause },
  );

/**
 * Creates a file that only its owner can read, completely or not at all. If the file already
 * exists, leaves it unchanged and returns false.
 */
export async function makeOnce(
  path: string,
  text: string,
  hardLink: typeof link = link,
): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${text}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // Uses `link`, not `rename`, because `link` fails if another process came first.
    await hardLink(draft, path).catch((error: NodeJS.ErrnoException) => {
      throw NO_LINKS.has(error.code ?? '') ? withoutLinks(path, error) : error;
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
