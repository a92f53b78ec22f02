import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/*
 * A server killed with -9 stops nobody. Its agents must not work on until the next start, so a
 * process beside it holds a pipe to it, and when the pipe closes without a word it kills what
 * carries the server's tag.
 *
 * One for the whole server, and a shell that waits in `read` and becomes Node only when there is
 * something to do: 1 MB, nothing per run, and the agents are gone when a Node has started.
 * A wrapper around each agent would cost every run 40 ms (Node) or would have to know the process
 * tree (a shell); `setpriv --pdeathsig` adds 2 ms to every run, is not on every machine and
 * reaches the agent alone, not what it has started.
 */

export interface Lifeline {
  /** The server ends in order; its agents are stopped already. */
  end(): void;
}

const SCRIPT = 'read -r word || exec "$0" "$@"';

export interface LifelineOptions {
  readonly installation: string;
  readonly node: string;
  /** Files for its agents alone, which go with them. */
  readonly privateDir?: string;
}

/** Null if there is no room for a process at the moment; then leftovers wait for the next start. */
export function startLifeline(options: LifelineOptions): Lifeline | null {
  const { installation, node, privateDir = '' } = options;
  const entry = fileURLToPath(
    // Under type stripping this file is .ts, in the package it is .js; the program's is the same.
    new URL(
      `./lifeline-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
      import.meta.url,
    ),
  );
  const args = ['-c', SCRIPT, process.execPath, entry, installation, node, privateDir];
  const child = spawn('/bin/sh', args, {
    // Out of reach of what kills the server's whole group, and of nothing the server knows.
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  // Without a process there may be no streams either.
  if (child.pid === undefined) return null;
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return { end: () => void child.stdin.end('end\n') };
}
