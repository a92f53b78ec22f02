import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** At two depths: relative to the sources, and relative to the package's emitted JavaScript. */
const PACKAGED = ['../../../node_modules', '../../../..'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * The path of Claude Code: the configured one, else `claude` on the PATH, else the one in
 * node_modules. Null if there is none. A configured path is not checked.
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
    // The binary itself, because `.bin` links to a stub if install scripts are disabled.
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
