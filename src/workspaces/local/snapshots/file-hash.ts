import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, readlink } from 'node:fs/promises';

/** Larger files are identified only by size and time. */
const FILE_BYTES = 1024 * 1024;

/** Hashes files until the budget is used up; for a link, hashes the path of its target. */
export class FileHashes {
  #room: number;

  constructor(room = 64 * 1024 * 1024) {
    this.#room = room;
  }

  /** Empty if it was not hashed. */
  async of(path: Buffer, stats: Stats): Promise<string> {
    if (stats.size > FILE_BYTES || stats.size > this.#room) return '';
    this.#room -= stats.size;
    try {
      const bytes = stats.isSymbolicLink()
        ? await readlink(path, 'buffer')
        : await read(path, stats.size);
      return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    } catch {
      return '';
    }
  }
}

/** Reads no more than its size: it may grow, or be replaced by a link or a pipe, at any time. */
async function read(path: Buffer, size: number): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length === buffer.length) throw new Error('It has grown.');
    }
  } finally {
    await file.close();
  }
}
