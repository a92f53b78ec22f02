// Finds Node 24 and runs the program with it, tied to this process by the lifeline.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { SetupError } from './setup-error.mjs';

const REQUIRED_MAJOR = 24;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/**
 * npm forwards a signal that the terminal has already sent to both of us; the copy arrives within
 * this time.
 */
const NPM_ECHO_MS = 500;
/** How long the child may take to exit after a second signal, in case its event loop is stuck. */
const LAST_RESORT_MS = 2000;

/** The path of a Node that is new enough: this one, or the one from the platform package. */
export function findNode(root) {
  if (Number.parseInt(process.versions.node, 10) >= REQUIRED_MAJOR) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  try {
    // The package is resolved the way Node does it, because npm may have installed it beside our
    // package, not inside it.
    const manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`);
    const node = join(dirname(manifest), 'bin', 'node');
    if (existsSync(node)) return node;
  } catch {
    // The package is not installed, which is reported below.
  }
  throw tooOld(
    `this is Node ${process.versions.node}, and the npm package ${name} is not installed`,
  );
}

function tooOld(why) {
  return new SetupError(
    [
      `error: Baton needs Node ${REQUIRED_MAJOR} or newer.`,
      `Why: ${why}.`,
      `What to do: install Node ${REQUIRED_MAJOR} (https://nodejs.org) and start again.`,
    ].join('\n'),
  );
}

/**
 * Limits each half of the young generation to 4 MB, instead of the 16 MB that V8 lets it reach
 * during startup: an idle server then takes 135 MB instead of 172.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=4'];

/**
 * Runs `script` under `node`. When the script exits, this process exits with the same code.
 *
 * The lifeline is a pipe on the child's descriptor 3. Signals are forwarded as lines on it, so that
 * the child can distinguish them from those it receives directly: a Ctrl-C or a group kill reaches
 * both of us but counts only once (src/cli/stop-requests.ts does the counting). When this process
 * dies, for whatever reason, the pipe closes and the child exits at once.
 *
 * @param {{
 *   node: string, script: string, args: string[], compileCache: string, serves: boolean,
 *   lastResortMs?: number,
 * }} options `serves`: it runs until stopped, so being stopped is a success.
 */
export function handOver({
  node,
  script,
  args,
  compileCache,
  serves,
  lastResortMs = LAST_RESORT_MS,
}) {
  const child = spawn(node, [...(serves ? SERVER_FLAGS : []), script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, BATON_LIFELINE_FD: '3' },
  });
  const lifeline = child.stdio[3];
  lifeline.on('error', () => {}); // The child is gone; its exit is handled below.

  const startedByNpm = /\bbaton\b/.test(process.env.npm_lifecycle_script ?? '');
  const received = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      const now = performance.now();
      if (startedByNpm && now - last < NPM_ECHO_MS) return;
      last = now;
      received.push(signal);
      lifeline.write(`${signal}\n`);
      if (received.length > 1) setTimeout(() => child.kill('SIGKILL'), lastResortMs).unref();
    });
  }

  child.on('error', (error) => {
    const why = `${node} does not run on this machine (${error.code ?? error.message})`;
    process.stderr.write(`${tooOld(why).message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    // The child was stopped before it had installed a handler; a requested stop is not a failure.
    if (serves && received.length === 1 && received[0] === signal) process.exit(0);
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}
