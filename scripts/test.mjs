// `npm test`: the one command that proves everything. Runs under any Node from 18 on, like the
// launcher, and the steps under Node 24. Arguments go to vitest: `npm test -- src/cli`.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findNode } from '../bin/handover.mjs';
import { install, root } from '../bin/setup.mjs';
import { SetupError } from '../bin/setup-error.mjs';
import { buildWeb } from '../bin/web.mjs';
import { closingLine, readCounts, slowestLines } from './test-result.mjs';

/** Checks that generated files are up to date: one `npm run <name>` each, which fails if not. */
const GENERATED_FILES = ['docs:check'];

async function main() {
  await install(130);
  const node = findNode(root);
  await buildWeb(node, 130);
  const tool = (path, ...args) => [node, join(root, 'node_modules', path), ...args];

  const filters = process.argv.slice(2);
  const steps = [
    // Skipped if only some tests run: they may not need it, and those that do install it
    // themselves.
    ...(filters.length > 0 ? [] : [['Browser', [node, join(root, 'scripts', 'test-browser.ts')]]]),
    ['Format and lint', tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')],
    ['Folders', [node, join(root, 'scripts', 'folders.ts')]],
    ['Types', tool('typescript/bin/tsc', '--noEmit')],
    ['Types of the web app', tool('typescript/bin/tsc', '--noEmit', '-p', 'web')],
    ...GENERATED_FILES.map((script) => [`Generated: ${script}`, ['npm', 'run', '-s', script]]),
  ];
  for (const [name, command] of steps) {
    process.stdout.write(`\n# ${name}\n`);
    const code = await run(node, command);
    if (code !== 0) {
      process.stdout.write(`\n${name}: failed; the tests were not run.\n`);
      return code;
    }
  }

  process.stdout.write('\n# Tests\n');
  const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
  try {
    const file = join(directory, 'result.json');
    const vitest = tool('vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json');
    const code = await run(node, [...vitest, `--outputFile.json=${file}`, ...filters]);
    process.stdout.write(`\n${slowestLines(file, root).join('\n')}\n`);
    process.stdout.write(`\n${closingLine(readCounts(file, code))}\n`);
    return code;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Resolves with the command's exit code. Passes signals on, because only this process may have
 * received them.
 */
function run(node, [command, ...args]) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  });
  const stop = (signal) => child.kill(signal);
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', stop).off('SIGINT', stop);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
