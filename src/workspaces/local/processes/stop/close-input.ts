import type { Writable } from 'node:stream';

/** Most programs that read standard input exit when it is closed. */
export function closeInput(stdin: Writable): void {
  if (!stdin.destroyed) stdin.end();
}
