import { readFileSync } from 'node:fs';

/** The version of this package; the file is at the same place from src/cli and from dist/cli. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
