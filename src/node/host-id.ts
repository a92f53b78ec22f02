import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../config/user-error.ts';
import { HostId } from '../contract/values/ids.ts';
import { deriveHostId } from '../queue/membership/process-identity.ts';
import { makeOnce } from '../secrets/once-file.ts';

/**
 * The id of this host, to which sessions are pinned (Q23): the configured one, or the one in the
 * data directory. The id in the data directory is derived from the machine on first start and kept
 * from then on, even if the machine-id, the host name or the container that mounts the volume
 * changes.
 */
export async function hostIdOf(given: string | undefined, dataDir: string): Promise<string> {
  if (given !== undefined) return given;
  const path = join(dataDir, 'host-id');
  let id = await read(path);
  if (id === null) {
    await makeOnce(path, deriveHostId());
    // If two processes start at once, the second uses the id written by the first.
    id = await read(path);
  }
  if (HostId.safeParse(id).success) return id as string;
  throw new UserError({
    what: `The host id in ${path} is not valid.`,
    why: 'it must be one line of 1 to 200 characters, and sessions are pinned to the previous id.',
    todo: 'restore the previous id, which "baton nodes" and the sessions show, or set BATON_HOST_ID to it.',
  });
}

/**
 * The human-readable name of this machine: its host name, without characters that would need
 * quoting on a command line. Does not begin with a dash, which would make it look like a flag.
 */
export const machineName = (name = hostname()): string =>
  name
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 60) || 'localhost';

async function read(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
