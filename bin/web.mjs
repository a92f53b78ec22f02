// Builds the web app of a checkout when it is missing or its sources have changed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './setup.mjs';
import { SetupError } from './setup-error.mjs';

/** What the build is made from. */
const SOURCES = ['web', 'src/contract', 'src/client', 'package-lock.json'];
const out = join(root, 'dist', 'web');
const stamp = join(out, '.sources');

/** Two starts at once take turns. */
export async function buildWeb(node) {
  if (isBuilt()) return;
  const run = async () => {
    if (isBuilt()) return;
    process.stderr.write('Building the web app…\n');
    const wanted = sources();
    await vite(node);
    writeFileSync(stamp, wanted);
  };
  const waiting = () => process.stderr.write('Another start is building the web app; waiting…\n');
  await withLock(join(root, '.baton', 'web.lock'), { waiting, run });
}

const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === sources();

/** By content, not by time stamps: cloning and switching branches change those without meaning. */
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

function vite(node) {
  const program = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [
    program,
    'build',
    '--config',
    join(root, 'web', 'vite.config.ts'),
    '--logLevel',
    'warn',
  ];
  // With the production build of React, whatever this process was told.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(failed(error.message, output)));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(failed(`the build ended with exit code ${code}; its output is above`, output));
    });
  });
}

const failed = (why, output) =>
  new SetupError(
    [
      ...(output.trim() ? [output.trim(), ''] : []),
      'The web app could not be built.',
      `Why: ${why}.`,
      'What to do: check the free disk space, run "npm ci", start again.',
    ].join('\n'),
  );
