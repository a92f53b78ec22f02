import { randomUUID } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, open, opendir, rename, unlink } from 'node:fs/promises';
import { type Entry, FileError, type FileKind, type FilePath, type Files } from '../../files.ts';
import {
  below,
  codeOf,
  enter,
  type FolderOpener,
  type OpenFolder,
  systemOpener,
} from './open-folder.ts';
import { readWhole } from './read-whole.ts';
import { removeEntry } from './remove-entry.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** How many entries `list` returns by default. */
const LIST_MAX = 10_000;

/** The files below a folder on this machine. `rootOf` gives its real path. */
export function localFiles(
  rootOf: () => Promise<string>,
  opener: FolderOpener = systemOpener,
): Files {
  /** Calls `work` with the folder that these names lead to. */
  const inside = async <T>(
    names: readonly Buffer[],
    make: boolean,
    work: (folder: OpenFolder) => Promise<T>,
  ): Promise<T> => {
    let folder = await opener.root(await rootOf());
    try {
      for (const name of names) {
        const next = await enter(opener, folder, name, make);
        await folder.close();
        folder = next;
      }
      return await work(folder);
    } finally {
      await folder.close();
    }
  };
  /** Calls `work` with the folder that contains the path, and its name there. */
  const at = <T>(
    path: FilePath,
    make: boolean,
    work: (folder: OpenFolder, name: Buffer) => Promise<T>,
  ): Promise<T> => {
    const names = namesOf(path);
    const name = names.pop();
    if (name === undefined)
      throw new FileError(
        'outside',
        'The path must name something inside the folder, not the folder itself.',
      );
    return inside(names, make, (folder) => work(folder, name));
  };

  return {
    read: (path, maxBytes) =>
      explained(path, () =>
        at(path, false, async (folder, name) => {
          // O_NONBLOCK, because opening a pipe would otherwise wait for its writer.
          const file = await open(below(folder.path, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
          try {
            await folder.verify(file, name);
            return await readWhole(file, maxBytes);
          } finally {
            await file.close();
          }
        }),
      ),

    write: (path, content, { mode = 0o600 } = {}) =>
      explained(path, () =>
        at(path, true, async (folder, name) => {
          const draft = Buffer.from(`.baton-${randomUUID()}`);
          const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
          const file = await open(below(folder.path, draft), flags, mode);
          try {
            await folder.verify(file, draft);
            await file.writeFile(content);
            await rename(below(folder.path, draft), below(folder.path, name));
          } catch (error) {
            await unlink(below(folder.path, draft)).catch(() => {});
            throw error;
          } finally {
            await file.close();
          }
        }),
      ),

    list: (path, max = LIST_MAX) =>
      explained(path, () => {
        const names = namesOf(path);
        return inside(names, false, async (folder) => {
          const entries: Entry[] = [];
          // Node's types lack this encoding, which returns names as bytes.
          const encoding = 'buffer' as BufferEncoding;
          for await (const entry of await opendir(folder.path, { encoding })) {
            if (entries.length === max) return { entries, truncated: true };
            const name = entry.name as unknown as Buffer;
            const path = Buffer.concat(
              [...names, name].flatMap((each, n) => (n === 0 ? [each] : [Buffer.from('/'), each])),
            );
            entries.push({ name: name.toString(), path, kind: kindOf(entry) });
          }
          return { entries, truncated: false };
        });
      }),

    stat: (path) =>
      explained(path, () =>
        at(path, false, async (folder, name) => {
          const stats = await lstat(below(folder.path, name));
          const { size, mtimeMs, mode } = stats;
          return { kind: kindOf(stats), size, mode: mode & 0o7777, modifiedAt: mtimeMs };
        }),
      ).catch(unlessMissing(null)),

    remove: (path) =>
      explained(path, () =>
        at(path, false, (folder, name) => removeEntry(opener, folder, name)),
      ).catch(unlessMissing(undefined)),
  };
}

/** The components of a relative path, without those that stand for the folder itself. */
function namesOf(path: FilePath): Buffer[] {
  // One character per byte, so that any bytes can be split as text.
  const bytes = Buffer.from(path as string).toString('latin1');
  const names = bytes.split('/').filter((name) => name !== '' && name !== '.');
  if (bytes.startsWith('/') || bytes.includes('\0') || names.includes('..')) {
    const message = `${shown(path)} is not a path inside the folder.`;
    throw new FileError('outside', message);
  }
  return names.map((name) => Buffer.from(name, 'latin1'));
}

export const kindOf = (entry: Stats | Dirent): FileKind => {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
};

const shown = (path: FilePath): string => path.toString();

/** Adds the path to the errors that callers distinguish. */
async function explained<T>(path: FilePath, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
        throw new FileError('missing', `${shown(path)} does not exist.`, error);
      case 'ELOOP':
      case 'EISDIR':
      case 'ENXIO':
        throw new FileError('not_a_file', `${shown(path)} is not a file.`, error);
      default:
        throw error;
    }
  }
}

const unlessMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof FileError && error.reason === 'missing') return value;
    throw error;
  };
