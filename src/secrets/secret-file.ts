import { readFile, stat } from 'node:fs/promises';
import { BatonError } from '../contract/errors.ts';
import { makeOnce } from './once-file.ts';

/**
 * The text of a file for its owner only, made with `make` if there is none. It appears whole or not
 * at all, and of two that make it at once the second takes what the first made.
 */
export async function secretFile(path: string, make: () => string): Promise<string> {
  const known = await readSecret(path);
  if (known !== null) return known;
  const text = make();
  if (await makeOnce(path, text)) return text;
  const first = await readSecret(path);
  if (first === null) throw new Error(`${path} was removed while it was read`);
  return first;
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
