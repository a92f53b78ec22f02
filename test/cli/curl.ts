import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cleanEnvironment, root, temporaryDirectory } from '../support/processes.ts';

/**
 * A PATH whose `curl` is test/fixtures/curl.ts. A bare Debian has no curl, and older ones lack options
 * that the pages use; this one is the same everywhere and refuses every option it does not know.
 */
export function pathWithCurl(): string {
  const folder = temporaryDirectory();
  const program = join(root, 'test', 'fixtures', 'curl.ts');
  writeFileSync(join(folder, 'curl'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(folder, 'curl'), 0o755);
  return [folder, cleanEnvironment()['PATH']].join(delimiter);
}
