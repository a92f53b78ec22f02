import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { usageError } from '../../config/user-error.ts';
import { ATTACHMENTS_BYTES, ATTACHMENTS_MAX } from '../../contract/limits.ts';
import { fileProblem } from './file-problem.ts';

export const attachFlag = {
  attach: {
    value: '<file>',
    schema: z.string().min(1),
    expected: 'the path of a file',
    help: 'attach a file (repeatable); images are shown to the agent',
    many: true,
  },
} as const;

/** Reads the files of a message. Types are not sent: the server recognises images by their bytes. */
export async function readAttachments(paths: readonly string[] | undefined) {
  if (paths === undefined) return {};
  if (paths.length > ATTACHMENTS_MAX) {
    throw refused(
      `--attach was given ${paths.length} times.`,
      `a message can have at most ${ATTACHMENTS_MAX} files.`,
    );
  }
  const attachments: { name: string; data: string }[] = [];
  let bytes = 0;
  for (const path of paths) {
    const content = await readFile(path).catch((error: unknown) => {
      throw refused(`The file ${path} could not be read.`, fileProblem(error));
    });
    bytes += content.length;
    if (bytes > ATTACHMENTS_BYTES) {
      const most = `${ATTACHMENTS_BYTES / 1024 / 1024} MiB`;
      throw refused(
        'The files are too large.',
        `a message can have at most ${most} of files in total.`,
      );
    }
    attachments.push({ name: basename(path), data: content.toString('base64') });
  }
  return { attachments };
}

const refused = (what: string, why: string): Error =>
  usageError({ what, why, todo: 'correct --attach, or leave it out.' });
