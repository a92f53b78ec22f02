import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, readlink } from 'node:fs/promises';

/** Larger files are known by size and time only. */
const FILE_BYTES = 1024 * 1024;

/** Hashes files as long as there is room; a link is where it leads to. */
export class FileHashes {
  #room: number;

  constructor(room = 64 * 1024 * 1024) {
    this.#room = room;
  }

  /** Empty if there is none. */
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

/** No more than it had: it may grow, or be replaced by a link or a pipe meanwhile. */
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
