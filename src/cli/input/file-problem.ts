/** Why a file could not be read, for an error message. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return WORDS[code ?? ''] ?? message;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file.',
  ENOTDIR: 'there is no such file.',
  EISDIR: 'it is a directory.',
  EACCES: 'permission denied.',
  EPERM: 'permission denied.',
};
