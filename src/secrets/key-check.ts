import { BatonError, isBatonError } from '../contract/errors.ts';
import type { SecretBox } from './box.ts';

/** Values that are written to the database only once. */
export interface Settings {
  readSetting(name: string): Promise<string | null>;
  /** Stores the value if none is stored yet; returns the stored value. */
  putSettingOnce(name: string, value: string): Promise<string>;
}

const NAME = 'secret-key-check';
const KNOWN_TEXT = 'baton';

/**
 * Refuses any key other than the one this database was encrypted with (X5). The first start stores
 * a sealed text that every later start must be able to open.
 */
export async function checkKey(box: SecretBox, settings: Settings): Promise<void> {
  const stored =
    (await settings.readSetting(NAME)) ??
    (await settings.putSettingOnce(NAME, box.seal(KNOWN_TEXT, NAME)));
  try {
    box.open(stored, NAME);
  } catch (cause) {
    if (!isBatonError(cause, 'key_mismatch')) throw cause;
    throw new BatonError(
      'key_mismatch',
      'This database was encrypted with a different secret key. ' +
        'Set BATON_SECRET_KEY to that key, or restore the file "secret-key" in the data directory. ' +
        'All nodes that share a database must use the same key.',
      { cause },
    );
  }
}
