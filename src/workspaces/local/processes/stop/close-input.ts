import type { Writable } from 'node:stream';

/** Most programs that read their input end when it ends. */
export function closeInput(stdin: Writable): void {
  if (!stdin.destroyed) stdin.end();
}
