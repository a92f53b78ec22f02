import { readFileSync } from 'node:fs';

/** This package's version. The relative path is the same in src/config and dist/config. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
