import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ARTEFACT_BYTES, type Artefact, ArtefactName } from '../contract/artefact.ts';
import { SessionId } from '../contract/session.ts';
import { removeTree } from './remove-tree.ts';

/** Tool results too long for the log (E5), kept for each session on the machine where it runs. */
export interface Artefacts {
  /** `call` is the agent's id for the call. The text is already masked. */
  keep(sessionId: string, runId: string, call: string, text: string): Promise<Artefact>;
  /** Null if this machine has no artefact with this name. */
  read(sessionId: string, name: string): Promise<Readable | null>;
  remove(sessionId: string): Promise<void>;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Files under the data directory, not in the workspace: they are history, which an agent must not
 * change and which outlives the workspace. Never follows links. Only our user can read the files.
 */
export function directoryArtefacts({ dataDir }: { readonly dataDir: string }): Artefacts {
  const root = join(dataDir, 'artefacts');
  const folderOf = (sessionId: string): string => join(root, SessionId.parse(sessionId));

  const isFolder = async (path: string): Promise<boolean> =>
    (await lstat(path).catch(() => null))?.isDirectory() === true;

  return {
    async keep(sessionId, runId, call, text) {
      const folder = folderOf(sessionId);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (!(await isFolder(folder))) throw new Error(`${folder} is not a directory.`);
      const name = nameOf(runId, call);
      const path = join(folder, name);
      // An earlier attempt may have made the same call.
      await rm(path, { force: true });
      const content = beginning(text);
      const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        await file.writeFile(content);
      } finally {
        await file.close();
      }
      return { name, bytes: content.length };
    },

    async read(sessionId, name) {
      const folder = folderOf(sessionId);
      if (!(await isFolder(folder))) return null;
      const file = await open(join(folder, ArtefactName.parse(name)), O_RDONLY | O_NOFOLLOW).catch(
        () => null,
      );
      return file?.createReadStream({ encoding: 'utf8' }) ?? null;
    },

    remove: (sessionId) => removeTree(folderOf(sessionId)),
  };
}

/** Hashes unusual ids, because agents choose the ids of their calls. */
function nameOf(runId: string, call: string): string {
  const part = (text: string): string =>
    /^[A-Za-z0-9_-]{1,64}$/.test(text)
      ? text
      : createHash('sha256').update(text).digest('hex').slice(0, 32);
  return `${part(runId)}-${part(call)}.txt`;
}

/** The first ARTEFACT_BYTES of the text; does not split a character. */
function beginning(text: string): Buffer {
  const whole = Buffer.from(text);
  let end = Math.min(whole.length, ARTEFACT_BYTES);
  while (end < whole.length && ((whole[end] ?? 0) & 0xc0) === 0x80) end--;
  return whole.subarray(0, end);
}
