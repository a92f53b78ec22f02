import { constants } from 'node:fs';
import { access, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isShallow, SessionId, type WorkspaceSpec } from '../contract/session.ts';
import { snapshotDirOf } from './local/snapshots/snapshot.ts';
import { WorkspaceError, type WorkspaceProvider, type WorkspaceRequest } from './provider.ts';
import { removeTree } from './remove-tree.ts';
import type { Runtime } from './runtime.ts';

export interface DirectoryOptions {
  readonly dataDir: string;
  /** Baton's own files and folders outside the data directory. */
  readonly ownPaths?: readonly string[];
  /** The database file, which may be outside the data directory. */
  readonly database?: string;
  /** The workspace's `root` is a real path. */
  readonly runtimeOf: (workspace: Pick<Runtime, 'id' | 'root'>) => Runtime;
}

/** Where new workspaces are created. */
export const workspacesOf = (dataDir: string): string => join(dataDir, 'workspaces');

/**
 * A plain directory on this machine: a new one under the data directory, or an existing one, which
 * is used as it is and never removed.
 */
export function directoryProvider(options: DirectoryOptions): WorkspaceProvider {
  const { dataDir, runtimeOf } = options;
  const ownPath = (sessionId: string): string =>
    join(workspacesOf(dataDir), SessionId.parse(sessionId));
  return {
    name: 'directory',
    local: true,
    ensure: async ({ sessionId, spec }) => {
      const own = ownPath(sessionId);
      refuseOthers(spec);
      const root = spec.path === undefined ? await make(own) : await check(spec.path, own, options);
      return runtimeOf({ id: sessionId, root });
    },
    observe: async ({ sessionId, spec }: WorkspaceRequest) => {
      try {
        const stats = await stat(spec.path ?? ownPath(sessionId));
        return stats.isDirectory() ? 'ready' : 'missing';
      } catch (error) {
        if (isMissing(error)) return 'missing';
        throw error;
      }
    },
    delete: async ({ sessionId, spec }) => {
      await removeTree(snapshotDirOf(dataDir, sessionId));
      if (spec.path === undefined) await removeTree(ownPath(sessionId));
    },
  };
}

/** Refuses unsupported fields: if they were ignored, they would seem to have taken effect. */
function refuseOthers(spec: WorkspaceSpec): void {
  for (const field of ['repository', 'baseBranch', 'image'] as const) {
    if (spec[field] === undefined) continue;
    throw new WorkspaceError(
      `A workspace from the provider "directory" does not support ${field}. Remove this field.`,
    );
  }
}

async function make(path: string): Promise<string> {
  try {
    // Accessible only to its owner, because agents store what they are given there.
    await mkdir(path, { recursive: true, mode: 0o700 });
    // Refuses a link in its place, because it could lead anywhere.
    if (!(await lstat(path)).isDirectory()) throw new Error('it is not a directory');
    return await realpath(path);
  } catch (error) {
    throw new WorkspaceError(
      `The workspace ${path} cannot be created: ${(error as Error).message}. Check that the data directory is writable and the disk is not full.`,
      { cause: error },
    );
  }
}

async function check(
  path: string,
  own: string,
  { dataDir, ownPaths = [], database }: DirectoryOptions,
): Promise<string> {
  const real = await realDirectory(path);
  if (!isShallow(real)) {
    throw new WorkspaceError(
      `The directory ${path} cannot be a workspace: it is nested too deeply (${real}). Choose another directory, or omit the path to get a new one.`,
    );
  }
  const data = await realpath(dataDir);
  // The data directory contains the database, the keys and other sessions.
  if (contains(real, data) || (contains(data, real) && !contains(await orSelf(own), real))) {
    throw new WorkspaceError(
      `The directory ${path} cannot be a workspace: it overlaps with Baton's data directory (${dataDir}), which contains the database and keys that an agent must not access. Choose another directory, or omit the path to get a new one.`,
    );
  }
  if (database !== undefined && (await placesOf(database)).some((file) => contains(real, file))) {
    throw new WorkspaceError(
      `The directory ${path} cannot be a workspace: it contains Baton's database (${database}), which an agent must not access. Choose another directory, or omit the path to get a new one.`,
    );
  }
  // A folder that merely contains another of Baton's own paths may be a workspace, because
  // searching it requires approval (P7).
  const others = await Promise.all(ownPaths.map(orSelf));
  const inside = others.find((other) => contains(other, real));
  if (inside !== undefined) {
    throw new WorkspaceError(
      `The directory ${path} cannot be a workspace: it is, or is inside, ${inside}, where Baton keeps files that an agent must not access. Choose another directory, or omit the path to get a new one.`,
    );
  }
  try {
    await access(real, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new WorkspaceError(
      `The user Baton runs as cannot both read and write the directory ${path}. Change its permissions, or choose another directory.`,
      { cause: error },
    );
  }
  return real;
}

async function realDirectory(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const why = isMissing(error)
      ? 'does not exist. Create it first, or omit the path to get a new one.'
      : `cannot be opened: ${(error as Error).message}.`;
    throw new WorkspaceError(`The directory ${path} ${why}`, { cause: error });
  }
  throw new WorkspaceError(`${path} is not a directory. Use the directory that contains it.`);
}

/** Whether `inner` is `outer` or inside it. Both are real paths. */
function contains(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === '' || !(way === '..' || way.startsWith('../'));
}

const orSelf = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Where the file really is and, if it is a link, where the link is. */
const placesOf = async (path: string): Promise<string[]> => [
  await orSelf(path),
  join(await orSelf(dirname(path)), basename(path)),
];

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
