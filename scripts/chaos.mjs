// `npm run chaos -- queue`: runs under any Node from 18 on, and the chaos under Node 24.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { findNode } from '../bin/handover.mjs';
import { install, root } from '../bin/setup.mjs';
import { SetupError } from '../bin/setup-error.mjs';

try {
  await install({ dev: true, interrupted: 130 });
  const args = [join(root, 'chaos', 'main.ts'), ...process.argv.slice(2)];
  const child = spawn(findNode(root), args, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
