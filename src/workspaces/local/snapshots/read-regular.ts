import { constants, open } from 'node:fs/promises';
import { readWhole } from '../files/read-whole.ts';

const { O_RDONLY, O_NONBLOCK } = constants;

export interface RegularFile {
  readonly content: Buffer;
  readonly atime: Date;
  readonly mtime: Date;
}

/**
 * A file of a repository; null if it is missing, too large, or not a file. A program in the
 * workspace may put a pipe in its place at any moment: opening one would wait for a writer for
 * ever, so it is opened without waiting, and checked afterwards.
 */
export async function readRegular(path: string, maxBytes: number): Promise<RegularFile | null> {
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const { atime, mtime } = stats;
    return { content: await readWhole(file, maxBytes), atime, mtime };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
