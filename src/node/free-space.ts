import { statfs } from 'node:fs/promises';

/** The free bytes on the fullest of the file systems that contain these directories. */
export async function freeSpace(directories: readonly string[]): Promise<number> {
  const all = await Promise.all(directories.map((each) => statfs(each)));
  return Math.min(...all.map(({ bavail, bsize }) => bavail * bsize));
}
