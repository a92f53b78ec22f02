import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The `node_modules` folders, relative to the sources and relative to the package's emitted
 * JavaScript.
 */
const PACKAGED = ['../../node_modules', '../../..'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * Where to look for the copy of a program that came with Baton, for users who have not installed
 * the program.
 */
export function packagedProgram(program: string, folders = PACKAGED): string[] {
  if (program !== 'claude') return [];
  const native = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
  // The native binary comes first, because `.bin` links to a stub if install scripts are disabled.
  return folders.flatMap((folder) => [join(folder, native), join(folder, '.bin/claude')]);
}
