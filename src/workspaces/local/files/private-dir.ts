import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * An agent's private files are kept below the data directory, in a folder for the node that started
 * it, so that files left by a dead node can be recognised.
 */

const FOLDER = 'private';
const PREFIX = 'node-';

export const privateDirOf = (dataDir: string, node: string): string =>
  join(dataDir, FOLDER, `${PREFIX}${node}`);

/** Removes the directories of dead nodes. */
export async function sweepPrivate(dataDir: string, liveNodes: ReadonlySet<string>): Promise<void> {
  const all = join(dataDir, FOLDER);
  const names = await readdir(all).catch((): string[] => []);
  for (const name of names) {
    if (liveNodes.has(name.slice(PREFIX.length))) continue;
    await rm(join(all, name), { recursive: true, force: true });
  }
}
