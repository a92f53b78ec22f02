import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BatonError } from '../contract/errors.ts';
import { secretFile } from './secret-file.ts';

const KEY_BYTES = 32;

/** The key that encrypts stored secrets: the configured one, or the one in the data directory. */
export async function secretKeyOf(given: Buffer | undefined, dataDir: string): Promise<Buffer> {
  if (given !== undefined) return given;
  const path = join(dataDir, 'secret-key');
  const text = await secretFile(path, () => randomBytes(KEY_BYTES).toString('base64'));
  const key = Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES && key.toString('base64') === text) return key;
  throw new BatonError(
    'secret_file',
    `${path} must contain ${KEY_BYTES} bytes in base64. Restore the key that it contained; ` +
      'without it, stored secrets are lost.',
  );
}
