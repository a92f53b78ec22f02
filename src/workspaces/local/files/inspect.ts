import { isUtf8 } from 'node:buffer';
import { lstat, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Inspected } from '../../runtime.ts';
import { kindOf } from './files.ts';
import { codeOf } from './open-folder.ts';

/**
 * The agent may still be able to open a path that is refused here: it can use a shorter path,
 * relative to its own directory, or change the permissions of a folder.
 */
export async function inspect(path: string): Promise<Inspected> {
  try {
    const kind = kindOf(await lstat(path));
    if (kind !== 'link') return { kind };
    const target = await readlink(path, 'buffer');
    // Decoding invalid UTF-8 would give the name of a different file.
    return isUtf8(target) ? { kind, target: target.toString() } : { kind: 'unknown' };
  } catch (error) {
    return { kind: isMissing(path, codeOf(error)) ? 'missing' : 'unknown' };
  }
}

/** The longest path in bytes, including the NUL at its end. */
const PATH_BYTES = process.platform === 'linux' ? 4096 : 1024;
/** No file system has longer names; most allow 255 bytes. */
const NAME_BYTES = 1023;

function isMissing(path: string, code: string): boolean {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    // The path contains NUL, which no name does.
    case 'ERR_INVALID_ARG_VALUE':
      return true;
    // Either the last component is too long to exist, or only the path as a whole is too long.
    case 'ENAMETOOLONG':
      return Buffer.byteLength(path) < PATH_BYTES || Buffer.byteLength(basename(path)) > NAME_BYTES;
    default:
      return false;
  }
}
