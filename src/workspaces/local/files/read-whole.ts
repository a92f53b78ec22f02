import type { FileHandle } from 'node:fs/promises';
import { FileError } from '../../files.ts';

const PIECE_BYTES = 64 * 1024;

/** Reads a file that may grow while it is read. Rejects if the file has more than `maxBytes`. */
export async function readWhole(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new FileError('not_a_file', 'It is not a file.');
  if (stats.size > maxBytes) throw tooLarge(maxBytes);
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    // Usually takes two reads: one for the content and one to find the end. Files in /proc report a
    // size of 0.
    const room = Math.max(stats.size - length, PIECE_BYTES);
    const piece = Buffer.allocUnsafe(Math.min(room, maxBytes + 1 - length));
    const { bytesRead } = await file.read(piece, 0, piece.length);
    if (bytesRead === 0) return Buffer.concat(pieces, length);
    pieces.push(piece.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(maxBytes);
  }
}

const tooLarge = (maxBytes: number): FileError =>
  new FileError('too_large', `The file is larger than ${maxBytes} bytes.`);
