import type { Stats } from 'node:fs';
import type { FileChange } from '../../../contract/session-event.ts';
import { listChanges } from '../../file-changes.ts';
import type { WorkspaceDiff } from '../../runtime.ts';
import { FileHashes } from './file-hash.ts';
import { filesBelow, Parents, pathBelow, readStats, TOGETHER } from './file-walk.ts';
import type { Snapshot } from './snapshot.ts';

type Manifest = Extract<Snapshot, { kind: 'manifest' }>;
type Entry = Manifest['files'][number];

/** Keeps the stored size of one attempt to a few hundred kilobytes. */
const FILES_MAX = 5000;
const PATHS_BYTES = 512 * 1024;
/** File systems have coarse timestamps, and network file systems have their own clocks. */
const CLOCK_MS = 1000;

/** On a timeout, keeps what has been read so far. */
export async function takeManifest(root: string, signal: AbortSignal): Promise<Manifest> {
  const at = Date.now();
  const files: Entry[] = [];
  const hashes = new FileHashes();
  let truncated = false;
  let bytes = 0;
  let full = false;
  const onMissed = (): void => {
    truncated = true;
  };
  try {
    for await (const batch of filesBelow({ root, signal, onMissed })) {
      const entries = batch.map(async ({ path, stats }): Promise<Entry> => {
        const hash = await hashes.of(pathBelow(root, path), stats);
        return [path, stats.size, stats.mtimeMs, stats.ctimeMs, hash];
      });
      for (const entry of await Promise.all(entries)) {
        bytes += entry[0].length;
        if (files.length < FILES_MAX && bytes <= PATHS_BYTES) files.push(entry);
        else full = true;
      }
      if (full) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    truncated = true;
  }
  return { kind: 'manifest', at, files, truncated: truncated || full };
}

export async function compareManifest(
  root: string,
  before: Manifest,
  signal: AbortSignal,
): Promise<WorkspaceDiff> {
  const changes = new Map<string, FileChange['change']>();
  let { truncated } = before;
  const onMissed = (): void => {
    truncated = true;
  };
  const known = new Set(before.files.map(([path]) => path));
  try {
    // Fails if the workspace is gone, so that its files do not all count as deleted.
    for await (const batch of filesBelow({ root, signal, onMissed })) {
      for (const { path, stats } of batch) {
        if (!known.has(path) && isNew(before, stats)) changes.set(path, 'added');
      }
    }
    const hashes = new FileHashes();
    const parents = new Parents(root);
    for (let i = 0; i < before.files.length; i += TOGETHER) {
      signal.throwIfAborted();
      const checks = before.files.slice(i, i + TOGETHER).map(async (entry) => {
        const held = await parents.hold(entry[0]);
        const change = held ? await changeOf(root, entry, hashes) : 'deleted';
        if (change !== null) changes.set(entry[0], change);
      });
      await Promise.all(checks);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    truncated = true;
  }
  const { files, ...listed } = listChanges(changes);
  return { files, truncated: truncated || listed.truncated };
}

/** If the earlier list is incomplete, an unlisted file counts as new only if its inode is new. */
const isNew = ({ truncated, at }: Manifest, { ctimeMs }: Stats): boolean =>
  !truncated || ctimeMs >= at - CLOCK_MS;

async function changeOf(
  root: string,
  [path, size, mtime, ctime, hash]: Entry,
  hashes: FileHashes,
): Promise<FileChange['change'] | null> {
  const stats = await readStats(root, path);
  if (stats === null || !(stats.isFile() || stats.isSymbolicLink())) return 'deleted';
  if (stats.size !== size) return 'modified';
  if (stats.mtimeMs === mtime && stats.ctimeMs === ctime) return null;
  if (hash === '') return stats.mtimeMs === mtime ? null : 'modified';
  return (await hashes.of(pathBelow(root, path), stats)) === hash ? null : 'modified';
}
