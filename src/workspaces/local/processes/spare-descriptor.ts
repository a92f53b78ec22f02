import { closeSync, openSync } from 'node:fs';
import { isBusy } from '../../../contract/outcome.ts';

/** Kept open so that it can be released when no other descriptor is left. */
let spare: number | null = null;

/**
 * Opens a file and closes it again, even while this process has no descriptor left: an agent that
 * cannot be observed would be assumed to have exited, and would stay alive.
 */
export function withSpareDescriptor<T>(read: () => T): T {
  spare ??= openSpare();
  try {
    return read();
  } catch (error) {
    if (spare === null || !isBusy(error)) throw error;
    closeSync(spare);
    try {
      return read();
    } finally {
      spare = openSpare();
    }
  }
}

function openSpare(): number | null {
  try {
    return openSync('/dev/null', 'r');
  } catch {
    return null;
  }
}
