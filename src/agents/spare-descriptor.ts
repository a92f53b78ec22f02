import { closeSync, openSync } from 'node:fs';
import { isBusy } from '../contract/outcome.ts';

/** Held open, to be given away for a moment. */
let spare: number | null = null;

/**
 * Opens a file and closes it again, also while this process has no descriptor left: an agent that
 * cannot be seen would count as ended, and be left alive.
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
