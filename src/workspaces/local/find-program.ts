import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The first executable file with this name in `PATH`, or else among `more`; null if there is none.
 * Skips relative folders in `PATH`: a process that starts in the workspace would find another
 * program there, perhaps one that an agent wrote.
 */
export async function findProgram(
  program: string,
  { PATH = '' }: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Promise<string | null> {
  const folders = PATH.split(delimiter).filter((each) => isAbsolute(each));
  const candidates = program.includes('/') ? [program] : folders.map((each) => join(each, program));
  for (const path of [...candidates, ...more]) if (await isExecutable(path)) return path;
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    // Folders also count as executable.
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
