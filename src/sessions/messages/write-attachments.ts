import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attachment } from '../../agents/driver.ts';

export interface FileToWrite {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

const FOLDER = '.baton';
/** Models take no larger image; it is named instead. */
const SHOWN_BYTES = 3_750_000;

/**
 * Puts the files of a message into the workspace, before its agent starts (A11). Never through a
 * link: an agent that was here before may have laid one that leads outside.
 */
export async function writeAttachments(
  workspace: string,
  runId: string,
  files: readonly FileToWrite[],
): Promise<Attachment[]> {
  const home = await realpath(workspace);
  const folder = join(home, FOLDER);
  await makeFolder(folder);
  // What came with messages is not the repository's.
  await writeAnew(join(folder, '.gitignore'), Buffer.from('*\n'));
  await makeFolder(join(folder, 'attachments'));
  const place = join(folder, 'attachments', runId);
  await makeFolder(place);
  if ((await realpath(place)) !== place) throw new Error(`${place} is somewhere else.`);
  const written: Attachment[] = [];
  for (const { name, mediaType, content } of files) {
    await writeAnew(join(place, name), content);
    const shown = content.length <= SHOWN_BYTES ? mediaType : 'application/octet-stream';
    written.push({ name, path: join(FOLDER, 'attachments', runId, name), mediaType: shown });
  }
  return written;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a directory.`);
  }
}

/** What is there goes first: an earlier attempt wrote it, or somebody laid a link. */
async function writeAnew(path: string, content: Buffer): Promise<void> {
  await rm(path, { force: true, recursive: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}
