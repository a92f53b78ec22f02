#!/usr/bin/env node
// The launcher: plain JavaScript that runs on Node 18 or later. The launcher installs what is
// missing and hands over to Node 24, which runs the TypeScript sources in a checkout and dist/ when
// installed.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findNode, handOver } from './handover.mjs';
import { install, root } from './setup.mjs';
import { SetupError } from './setup-error.mjs';
import { buildWeb } from './web.mjs';

const source = join(root, 'src', 'cli', 'main.ts');
const checkout = existsSync(source);
const serves = ['up', 'api', 'worker'].includes(process.argv[2]);

try {
  if (checkout) await install(serves ? 0 : 130);
  const node = findNode(root);
  if (checkout && ['up', 'api'].includes(process.argv[2])) await buildWeb(node, 0);
  handOver({
    node,
    script: checkout ? source : join(root, 'dist', 'cli', 'main.js'),
    args: process.argv.slice(2),
    serves,
    compileCache: checkout
      ? join(root, 'node_modules', '.cache', 'baton')
      : join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baton', 'compiled'),
  });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
