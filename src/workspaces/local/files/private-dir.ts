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

/** The nodes that have a directory. */
export async function privateNodes(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, FOLDER)).catch((): string[] => []);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
}

/** Removes the directories of these dead nodes. */
export async function sweepPrivate(dataDir: string, nodes: ReadonlySet<string>): Promise<void> {
  // Agents can set the ids in `nodes`, so only those that name an existing directory are used.
  for (const node of await privateNodes(dataDir)) {
    if (nodes.has(node)) await rm(privateDirOf(dataDir, node), { recursive: true, force: true });
  }
}
