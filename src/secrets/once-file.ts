import { randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';

/**
 * Makes a file for its owner only. It appears whole or not at all; false if there is one already,
 * which then counts.
 */
export async function makeOnce(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${text}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link, not a rename: it fails if another was first.
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
