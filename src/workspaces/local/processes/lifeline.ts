import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/*
 * A server killed by SIGKILL stops nothing, but its agents must not keep working until it restarts.
 * So a helper process holds a pipe to the server. If the pipe closes without a goodbye, the helper
 * kills every process that carries the server's tag.
 *
 * There is one helper per server: a shell that waits in `read` and becomes Node only when there is
 * work. The helper takes 1 MB in total and nothing per run, and it kills the agents as soon as Node
 * has started. Rejected: a wrapper around each agent, which would add 40 ms to every run (in Node)
 * or would have to know the process tree (in a shell). Also rejected: `setpriv --pdeathsig`, which
 * adds 2 ms to every run, is not on every machine, and reaches only the agent, not what it has
 * started.
 */

export interface Lifeline {
  /** Call it on an orderly shutdown, after the agents have stopped. */
  end(): void;
}

const SCRIPT = 'read -r word || exec "$0" "$@"';

export interface LifelineOptions {
  readonly installation: string;
  readonly node: string;
  /** The directory for its agents' private files; removed after the agents are killed. */
  readonly privateDir?: string;
}

/** Null if no process can be started right now; any leftovers then stay until the next start. */
export function startLifeline(options: LifelineOptions): Lifeline | null {
  const { installation, node, privateDir = '' } = options;
  const entry = fileURLToPath(
    // Both this file and the program are .ts in the sources and .js in the package.
    new URL(
      `./lifeline-program${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
      import.meta.url,
    ),
  );
  const args = ['-c', SCRIPT, process.execPath, entry, installation, node, privateDir];
  const child = start(args);
  child?.on('error', () => {});
  // If the process could not start, its streams may be missing.
  if (child?.pid === undefined) return null;
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return { end: () => void child.stdin.end('end\n') };
}

function start(args: readonly string[]): ChildProcessByStdio<Writable, null, null> | null {
  try {
    return spawn('/bin/sh', args, {
      // The helper has a session of its own, so that killing the server's process group does not
      // kill it.
      detached: true,
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  } catch {
    // Node throws some errors, such as ENOMEM, instead of emitting them.
    return null;
  }
}
