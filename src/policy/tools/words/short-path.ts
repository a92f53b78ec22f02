/** No system opens a longer path. */
export const PATH_MAX = 4096;

/**
 * Resolves `.` and `..` by name in a path longer than `PATH_MAX`, because only a program that does the
 * same can open it. Takes linear time, unlike `normalize`. The result may still be too long to open.
 */
export function shortened(path: string): string {
  if (path.length <= PATH_MAX) return path;
  const root = path.startsWith('/') ? '/' : '';
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    const isAbove = name === '..' && (names.at(-1) ?? '..') === '..';
    if (name !== '..' || (isAbove && root === '')) names.push(name);
    else names.pop();
  }
  return root + names.join('/');
}
