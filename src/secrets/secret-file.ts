import { readFile, stat } from 'node:fs/promises';
import { BatonError } from '../contract/errors.ts';
import { makeOnce } from './once-file.ts';

/**
 * Reads a file that only its owner can read, or creates it with `make`, completely or not at all.
 * If two processes create the file at once, both get the same text.
 */
export async function secretFile(path: string, make: () => string): Promise<string> {
  const known = await readSecret(path);
  if (known !== null) return known;
  const text = make();
  if (await makeOnce(path, text)) return text;
  const first = await readSecret(path);
  if (first === null) throw new Error(`${path} was removed while it was being read`);
  return first;
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new BatonError(
        'secret_file',
        `Other users can read ${path} (mode ${shown}). Check who may have read it, then run "chmod 600" on it.`,
      );
    }
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
