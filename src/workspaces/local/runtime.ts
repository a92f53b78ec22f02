import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Runtime } from '../runtime.ts';
import { localFiles } from './files/files.ts';
import { inspect } from './files/inspect.ts';
import { privateDirOf } from './files/private-dir.ts';
import { writePrivateFiles } from './files/private-files.ts';
import { findProgram } from './find-program.ts';
import { createSpawn, type SpawnSettings } from './processes/spawn.ts';
import { sweepRun } from './processes/sweep.ts';
import { diffSince, snapshotDirOf, takeSnapshot } from './snapshots/snapshot.ts';

export interface LocalSettings extends Omit<SpawnSettings, 'root'> {
  /** Private files and snapshots are kept below it, outside every workspace. */
  readonly dataDir: string;
  /** Where to find a program that is not on the PATH, such as one that came with Baton. */
  readonly packaged?: (program: string) => readonly string[];
}

export const homeOf = ({ HOME }: Readonly<Record<string, string>>): string => HOME ?? homedir();

/**
 * A directory on this machine, whose processes run as the server's own user. `root` is its real
 * path.
 */
export function localRuntime(
  settings: LocalSettings,
  { id, root }: Pick<Runtime, 'id' | 'root'>,
): Runtime {
  const { dataDir, environment, installation, node, packaged } = settings;
  const keep = (): string => snapshotDirOf(dataDir, id);
  return {
    id,
    root,
    home: homeOf(environment),
    environment,
    lacks: { terminals: 'Baton does not support terminals yet.' },
    spawn: createSpawn({ ...settings, root }),
    stopLeftovers: async (unit) =>
      (await sweepRun({ installation, run: unit })).left.map(({ pid }) => pid),
    files: localFiles(async () => root),
    filesIn: (folder) => localFiles(() => realpath(folder)),
    inspect,
    find: (program) => findProgram(program, environment, packaged?.(program)),
    keepPrivate: (files) => writePrivateFiles(privateDirOf(dataDir, node()), files),
    snapshot: (options) => takeSnapshot(root, { ...options, keep: keep() }),
    diff: (from, options) => diffSince(root, from, { ...options, keep: keep() }),
  };
}
