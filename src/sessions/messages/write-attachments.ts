import type { Attachment } from '../../agents/driver.ts';
import type { Files } from '../../workspaces/files.ts';

export interface FileToWrite {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

const FOLDER = '.baton';
/** Models do not accept larger images; for those, the agent gets only the name. */
const SHOWN_BYTES = 3_750_000;

/** Writes a message's files into the workspace before its agent starts (A11). */
export async function writeAttachments(
  workspace: Pick<Files, 'write' | 'remove'>,
  runId: string,
  files: readonly FileToWrite[],
): Promise<Attachment[]> {
  // An earlier agent may have left anything there.
  const replace = async (path: string, content: Buffer | string): Promise<void> => {
    await workspace.remove(path);
    await workspace.write(path, content);
  };
  // Attachments do not belong in the repository.
  await replace(`${FOLDER}/.gitignore`, '*\n');
  const written: Attachment[] = [];
  for (const { name, mediaType, content } of files) {
    const path = `${FOLDER}/attachments/${runId}/${name}`;
    await replace(path, content);
    const shown = content.length <= SHOWN_BYTES ? mediaType : 'application/octet-stream';
    written.push({ name, path, mediaType: shown });
  }
  return written;
}
