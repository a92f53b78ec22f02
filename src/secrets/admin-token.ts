import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BatonError } from '../contract/errors.ts';
import { secretFile } from './secret-file.ts';

/** A configured BATON_ADMIN_TOKEN must also match this pattern. */
const TOKEN = /^[\x21-\x7e]{16,512}$/;

/** The administrator's token: the configured one, or the one in the data directory. */
export async function adminTokenOf(given: string | undefined, dataDir: string): Promise<string> {
  if (given !== undefined) return given;
  const path = join(dataDir, 'admin-token');
  const make = (): string => `baton_admin_${randomBytes(32).toString('base64url')}`;
  const token = await secretFile(path, make);
  if (TOKEN.test(token)) return token;
  throw new BatonError(
    'secret_file',
    `${path} must contain a token of at least 16 printable characters. Remove the file to have a new token created.`,
  );
}
