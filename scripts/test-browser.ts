// The first step of `npm test`: sees that there is a browser, and installs one if it can. Beside the
// tests an installation could change the machine under them, and a missing browser fails dozens.
import { chromiumPath } from '../test/web/browser-install.ts';

try {
  process.stdout.write(`${await chromiumPath()}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
