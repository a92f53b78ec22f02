import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { UserError } from './user-error.ts';

/**
 * Creates the directory, accessible only to its owner, and checks that it is writable, so that a
 * read-only directory is reported now and not at the first write. An existing directory keeps its
 * mode, because it may be shared.
 */
export async function makeDataDirectory(path: string, log: Logger): Promise<void> {
  const probe = join(path, `.writable-${process.pid}`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new UserError(
      {
        what: `The data directory cannot be used: ${path}`,
        why: `${(error as Error).message}.`,
        todo: 'choose another one with --data-dir, or make this one writable by your user.',
      },
      { cause: error },
    );
  }
  if ((await stat(path)).mode & 0o077) {
    log.warn({ path }, 'Other users can open the data directory; "chmod 700" keeps them out');
  }
}
