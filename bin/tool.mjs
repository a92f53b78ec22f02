// Runs a setup program whose output matters only if it fails.
import { spawn } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * If it succeeds, resolves with its output; otherwise rejects with an error made by `failed`.
 *
 * @param {string[]} command
 * @param {{
 *   cwd: string,
 *   env?: NodeJS.ProcessEnv,
 *   interrupted: number,
 *   failed: (why: string, output: string) => Error,
 * }} options `interrupted` is the exit code if a signal interrupts it
 */
export function runTool([program, ...args], { cwd, env, interrupted, failed }) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  // Without a handler, a signal would end Node but leave the program running. The next start
  // repeats what was left unfinished.
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill('SIGTERM');
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(failed(error.message, output)));
    child.on('close', (code) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      if (stopped) process.exit(interrupted);
      if (code === 0) resolve(output);
      else reject(failed(`it failed with exit code ${code}; its output is above`, output));
    });
  });
}
