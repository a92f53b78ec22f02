// The first step of `npm test`: checks that there is a browser, and installs one if possible. An
// installation during the tests could affect them, and without a browser dozens of them fail.
import { chromiumPath } from '../test/web/browser-install.ts';

try {
  process.stdout.write(`${await chromiumPath()}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
