// Installs the dependencies of a checkout when they are missing or do not match the lock file.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { SetupError } from './setup-error.mjs';
import { runTool } from './tool.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs `npm ci` if needed; concurrent starts take turns. Development dependencies are included,
 * because a checkout also builds the web app and runs the tests.
 *
 * @param {number} interrupted the exit code if a signal interrupts the installation
 */
export async function install(interrupted) {
  if (isInstalled()) return;
  const run = async () => {
    if (isInstalled()) return;
    const first = !existsSync(join(root, 'node_modules'));
    say(`Installing dependencies (${first ? 'first start only' : 'they have changed'})…`);
    await npmCi(interrupted);
  };
  const waiting = () => say('Another start is installing dependencies; waiting for it…');
  try {
    await withLock(join(root, '.baton', 'install.lock'), { waiting, run });
  } catch (error) {
    throw error instanceof SetupError ? error : failed(error.message, '');
  }
}

/**
 * Compares what npm reports as installed with the lock file. Does not use timestamps, because
 * copying, cloning and switching branches change them although nothing else has changed.
 */
function isInstalled() {
  const wanted = packages(join(root, 'package-lock.json'));
  const present = packages(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const version = present[path]?.version;
    const mayBeAbsent = path === '' || entry.optional || entry.devOptional;
    return version === entry.version || (version === undefined && mayBeAbsent);
  });
}

function packages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function npmCi(interrupted) {
  const command = ['npm', 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npmFailed = (why, output) => failed(`npm ci: ${why}`, output);
  return runTool(command, { cwd: root, interrupted, failed: npmFailed });
}

function failed(why, output) {
  return new SetupError(
    [
      ...(output.trim() ? [output.trim(), ''] : []),
      'error: The dependencies could not be installed.',
      `Why: ${why}.`,
      `What to do: check the network and the free disk space, run "npm ci" in ${root}, then start again.`,
    ].join('\n'),
  );
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
