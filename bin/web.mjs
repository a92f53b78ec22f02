// Builds the web app of a checkout when it is missing or its sources have changed.
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './setup.mjs';
import { SetupError } from './setup-error.mjs';
import { runTool } from './tool.mjs';

/** The build's inputs. */
const SOURCES = ['web', 'src/contract', 'src/client', 'package-lock.json'];
const out = join(root, 'dist', 'web');
const stamp = join(out, '.sources');
/** Built here first, so that a server that starts during a build never reads an incomplete one. */
const next = join(root, 'dist', 'web-next');

/**
 * Builds the web app if needed; concurrent starts take turns.
 *
 * @param {string} node
 * @param {number} interrupted the exit code if a signal interrupts the build
 */
export async function buildWeb(node, interrupted) {
  if (isBuilt()) return;
  const run = async () => {
    if (isBuilt()) return;
    process.stderr.write('Building the web app…\n');
    const wanted = sources();
    await vite(node, interrupted);
    writeFileSync(join(next, '.sources'), wanted);
    rmSync(out, { recursive: true, force: true });
    renameSync(next, out);
  };
  const waiting = () => process.stderr.write('Another start is building the web app; waiting…\n');
  await withLock(join(root, '.baton', 'web.lock'), { waiting, run });
}

const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === sources();

/** Compares content, not timestamps, because cloning and switching branches also change those. */
function sources() {
  const hash = createHash('sha256');
  const add = (path) => {
    if (statSync(join(root, path)).isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) add(`${path}/${name}`);
    } else if (!/\.test\.tsx?$/.test(path)) {
      const bytes = readFileSync(join(root, path));
      hash.update(`${path} ${bytes.length}\n`).update(bytes);
    }
  };
  for (const source of SOURCES) add(source);
  return hash.digest('hex');
}

function vite(node, interrupted) {
  const program = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(root, 'web', 'vite.config.ts');
  const command = [node, program, 'build', '--config', config, '--outDir', next];
  // Selects the production build of React, whatever this process's NODE_ENV is.
  const env = { ...process.env, NODE_ENV: 'production' };
  return runTool([...command, '--logLevel', 'warn'], { cwd: root, env, interrupted, failed });
}

const failed = (why, output) =>
  new SetupError(
    [
      ...(output.trim() ? [output.trim(), ''] : []),
      'error: The web app could not be built.',
      `Why: Vite: ${why}.`,
      'What to do: check the free disk space, run "npm ci", then start again.',
    ].join('\n'),
  );
