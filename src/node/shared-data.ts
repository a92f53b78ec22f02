import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { UserError, usageError } from '../config/user-error.ts';
import { newId } from '../contract/values/ids.ts';
import { makeOnce } from '../secrets/once-file.ts';
import type { HostRefusal } from '../sessions/host-store.ts';

/**
 * The id of a shared data directory (Q23). The first host creates the file that contains it. Hosts
 * that read the same id see the same directory. Null if the directory is not shared.
 */
export async function sharedDataIdOf(config: Config): Promise<string | null> {
  const { sharedData, database, hostId, dataDir } = config;
  if (!sharedData) return null;
  if (database.kind !== 'postgres') {
    throw usageError({
      what: 'BATON_SHARED_DATA needs PostgreSQL.',
      why: 'an SQLite database serves one process, so there are no other hosts.',
      todo: 'set BATON_DATABASE_URL to a PostgreSQL database, or remove BATON_SHARED_DATA.',
    });
  }
  if (hostId === undefined) {
    throw usageError({
      what: 'BATON_SHARED_DATA needs BATON_HOST_ID.',
      why: 'the host id is otherwise kept in the data directory, so all hosts would have the same one.',
      todo: 'set BATON_HOST_ID to a different id on each machine, and never change it.',
    });
  }
  const path = join(dataDir, 'data-id');
  await makeOnce(path, newId());
  return (await readFile(path, 'utf8')).trim();
}

/** Explains to the person who started this node why it was refused. */
export function explainRefusal(refusal: HostRefusal, { dataDir, sharedData }: Config): UserError {
  if (refusal.why === 'others') {
    const [does, other] = sharedData ? ['shares', 'do not'] : ['does not share', 'do'];
    return new UserError({
      what: `This host ${does} its data directory, but other hosts with running workers ${other}.`,
      why: `either all hosts share one data directory or none of them do; these differ: ${refusal.hosts.join(', ')}.`,
      todo: 'stop the workers there, and start all hosts with the same BATON_SHARED_DATA.',
    });
  }
  return sharedData
    ? new UserError({
        what: `${dataDir} is not the data directory that the other hosts share.`,
        why: 'its data-id file is not the same as theirs.',
        todo: 'mount their directory here, and start Baton again.',
      })
    : new UserError({
        what: 'The hosts of this installation share a data directory, and this one does not.',
        why: 'it would find the workspaces of shared sessions empty.',
        todo: 'mount their directory here and set BATON_SHARED_DATA=1; or, to stop sharing, first move the sessions that have no host ("baton session move").',
      });
}
