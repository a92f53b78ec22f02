import { BatonError, isBatonError } from '../contract/errors.ts';
import type { SecretBox } from './box.ts';

/** What a database keeps once and for all. */
export interface Settings {
  readSetting(name: string): Promise<string | null>;
  /** Stores it if there is none; answers what is stored. */
  putSettingOnce(name: string, value: string): Promise<string>;
}

const NAME = 'secret-key-check';
const KNOWN_TEXT = 'baton';

/**
 * Refuses a key that is not the one this database was encrypted with (X5). The first start leaves a
 * sealed text that later ones must be able to open.
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
      'The secret key is not the one this database was encrypted with. Set BATON_SECRET_KEY to that ' +
        'one, or put it back as "secret-key" into the data directory. All nodes of a database share one key.',
      { cause },
    );
  }
}
