import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Both depths: from the sources, and from what is made of them for a package. */
const PACKAGED = ['../../../node_modules', '../../../..'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * Where Claude Code is: the one that was named, else `claude` on the PATH, else the one in
 * node_modules. Null if there is none; one that was named is not looked for.
 */
export async function findClaude(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  packaged: readonly string[] = PACKAGED,
): Promise<string | null> {
  if (named !== undefined) return named;
  const native = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
  const candidates = [
    ...(env['PATH'] ?? '').split(delimiter).map((folder) => folder && join(folder, 'claude')),
    // The binary itself: what `.bin` links to is only a stub where no install scripts may run.
    ...packaged.flatMap((folder) => [join(folder, native), join(folder, '.bin/claude')]),
  ];
  for (const path of candidates) if (path !== '' && (await isExecutable(path))) return path;
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
