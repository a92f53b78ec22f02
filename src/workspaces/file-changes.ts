import type { FileChange } from '../contract/session-event.ts';
import { byteLength } from '../contract/values/json.ts';

/* Lists of changed files and patches, small enough to fit in an event. */

const FILES_MAX = 500;
const FILES_BYTES = 32 * 1024;
export const PATCH_BYTES = 200 * 1024;

/** The bytes of a path as text for display; invalid UTF-8 becomes U+FFFD. */
export const shownPath = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

export interface Listed {
  readonly files: FileChange[];
  readonly truncated: boolean;
}

/** Sorted by path. */
export function listChanges(changes: ReadonlyMap<string, FileChange['change']>): Listed {
  const files: FileChange[] = [];
  let bytes = 0;
  for (const [path, change] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const one = { path: shownPath(path), change };
    bytes += byteLength(JSON.stringify(one)) + 1;
    if (files.length === FILES_MAX || bytes > FILES_BYTES) return { files, truncated: true };
    files.push(one);
  }
  return { files, truncated: false };
}

/** The start of a patch, in whole lines and at most this many bytes as JSON. */
export function fitPatch(
  patch: string,
  maxBytes = PATCH_BYTES,
): { readonly patch: string; readonly truncated: boolean } {
  let rest = patch;
  for (;;) {
    const bytes = byteLength(JSON.stringify(rest));
    if (bytes <= maxBytes) return { patch: rest, truncated: rest.length < patch.length };
    const keep = Math.max(0, Math.floor((rest.length * maxBytes) / bytes) - 1);
    // Whole lines only, because half a secret would not be masked.
    rest = rest.slice(0, rest.lastIndexOf('\n', keep - 1) + 1);
  }
}
