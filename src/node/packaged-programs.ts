import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** At two depths: relative to the sources, and relative to the package's emitted JavaScript. */
const PACKAGED = ['../../node_modules', '../../..'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Where a program that came with Baton may be, if the user has not installed it. */
export function packagedProgram(program: string, folders = PACKAGED): string[] {
  if (program !== 'claude') return [];
  const native = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
  // The binary itself, because `.bin` links to a stub if install scripts are disabled.
  return folders.flatMap((folder) => [join(folder, native), join(folder, '.bin/claude')]);
}
