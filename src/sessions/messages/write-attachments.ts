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
/** Models accept no larger images; for those, the agent gets only the name. */
const SHOWN_BYTES = 3_750_000;

/**
 * Writes a message's files into the workspace before its agent starts (A11). Never follows a link:
 * an earlier agent may have left one that leads outside.
 */
export async function writeAttachments(
  workspace: string,
  runId: string,
  files: readonly FileToWrite[],
): Promise<Attachment[]> {
  const home = await realpath(workspace);
  const folder = join(home, FOLDER);
  await makeFolder(folder);
  // Attachments do not belong in the repository.
  await replaceFile(join(folder, '.gitignore'), Buffer.from('*\n'));
  await makeFolder(join(folder, 'attachments'));
  const directory = join(folder, 'attachments', runId);
  await makeFolder(directory);
  if ((await realpath(directory)) !== directory) {
    throw new Error(`${directory} leads somewhere else through a link.`);
  }
  const written: Attachment[] = [];
  for (const { name, mediaType, content } of files) {
    await replaceFile(join(directory, name), content);
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

/** First removes anything already there: a file from an earlier attempt, or a link. */
async function replaceFile(path: string, content: Buffer): Promise<void> {
  await rm(path, { force: true, recursive: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}
