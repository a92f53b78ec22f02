import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { credentialsPath } from '../config/credentials.ts';

/**
 * Baton's own files outside the data directory (P7): the CLI's login, and a database stored
 * elsewhere. If the database's path is a link, SQLite keeps its side files beside the real file.
 */
export function ownPathsOf(
  { database }: Pick<Config, 'database'>,
  env: NodeJS.ProcessEnv,
): string[] {
  const login = dirname(credentialsPath(env));
  if (database.kind !== 'sqlite') return [login];
  const files = new Set([database.path, realPathOf(database.path)]);
  const ends = ['', '-wal', '-shm', '-journal', '.lock'];
  return [login, ...[...files].flatMap((file) => ends.map((end) => `${file}${end}`))];
}

/** The database has been opened, so its file exists, unless someone has just removed it. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
