/** Why a file cannot be read, in words. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return WORDS[code ?? ''] ?? message;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file.',
  ENOTDIR: 'there is no such file.',
  EISDIR: 'it is a directory.',
  EACCES: 'you may not read it.',
  EPERM: 'you may not read it.',
};
