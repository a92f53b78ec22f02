import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { BatonError } from '../contract/errors.ts';

/**
 * The text of a file for its owner only, made with `make` if there is none. It appears whole or not
 * at all, and of two that make it at once the second takes what the first made.
 */
export async function secretFile(path: string, make: () => string): Promise<string> {
  return (await readSecret(path)) ?? (await makeSecret(path, make()));
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new BatonError(
        'secret_file',
        `${path} can be read by others (mode ${shown}). Check who saw it, then "chmod 600" it.`,
      );
    }
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function makeSecret(path: string, text: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${text}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link, not a rename: it fails if another was first, and then that one counts.
    await link(draft, path);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const first = await readSecret(path);
    if (first === null) throw error;
    return first;
  } finally {
    await rm(draft, { force: true });
  }
}
