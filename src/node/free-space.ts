import { statfs } from 'node:fs/promises';

/** Of all the file systems these directories are on, the free bytes on the fullest one. */
export async function freeSpace(directories: readonly string[]): Promise<number> {
  const all = await Promise.all(directories.map((each) => statfs(each)));
  return Math.min(...all.map(({ bavail, bsize }) => bavail * bsize));
}
