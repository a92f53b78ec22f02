import { spawn } from 'node:child_process';

export interface GitRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer;
  /** Stop reading after this much output. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface GitOutput {
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Whether there was more output. */
  readonly cut: boolean;
}

/** Settings that keep git from starting programs that a repository names. */
const HARMLESS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.pager=cat'].flatMap(
  (setting) => ['-c', setting],
);

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export class NoGitError extends Error {
  constructor(cause: unknown) {
    super('git is not installed, so changes cannot be detected.', { cause });
  }
}

/**
 * Runs git until it exits or reaches the limit. Throws if it cannot start; if the signal is
 * aborted, throws its reason.
 */
export async function runGit({
  args,
  cwd,
  env,
  input,
  maxBytes,
  signal,
}: GitRun): Promise<GitOutput> {
  signal.throwIfAborted();
  // A repository can make git print any number of warnings, and nothing reads them.
  const child = spawn('git', [...HARMLESS, ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    // If the process could not start, its streams may be missing.
    if (child.pid === undefined) {
      await ended.catch((error: unknown) => {
        throw isMissing(error) ? new NoGitError(error) : error;
      });
    }
    // Git may exit before reading all input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const pieces: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (piece: Buffer) => {
      if (bytes < maxBytes) pieces.push(piece.subarray(0, maxBytes - bytes));
      bytes += piece.length;
      if (bytes > maxBytes) stop();
    });
    const code = await ended;
    signal.throwIfAborted();
    return { code, stdout: Buffer.concat(pieces), cut: bytes > maxBytes };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
