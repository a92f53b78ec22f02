import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Process, ProcessExit, SpawnOptions } from '../../process.ts';
import type { Capability, Runtime } from '../../runtime.ts';

export interface RuntimeUnderTest {
  /** Its workspace exists and is empty. */
  readonly runtime: Runtime;
  /** An empty folder outside the workspace where the agent may write, without links in its path. */
  readonly outside: string;
}

export interface Check {
  /** Includes the rule that the check proves. */
  readonly name: string;
  /** Skipped if the runtime lacks it. */
  readonly needs?: Capability;
  run(under: RuntimeUnderTest): Promise<void>;
}

export const UNIT = 'conformance';

/** Starts a process that is stopped when the test ends. */
export async function start(
  { runtime }: RuntimeUnderTest,
  argv: readonly string[],
  options: Partial<SpawnOptions> = {},
): Promise<Process> {
  const started = await runtime.spawn(argv, { unit: UNIT, ...options });
  onTestFinished(() => started.stop());
  return started;
}

export interface Ran extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits. */
export async function run(
  under: RuntimeUnderTest,
  argv: readonly string[],
  options: Partial<SpawnOptions> = {},
): Promise<Ran> {
  const { stdin, stdout, stderr, exited, stop } = await start(under, argv, options);
  stdin.end();
  const [out, err, exit] = await Promise.all([text(stdout), text(stderr), exited]);
  await stop();
  return { stdout: out, stderr: err, ...exit };
}

/** What a shell command prints. The command must succeed; `$1`, `$2` … are the arguments. */
export async function sh(
  under: RuntimeUnderTest,
  script: string,
  ...args: readonly string[]
): Promise<string> {
  const { stdout, stderr, code } = await run(under, [
    '/bin/sh',
    '-c',
    `set -e; ${script}`,
    'sh',
    ...args,
  ]);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return stdout;
}

/** Systems without `/proc` have `ps`, which a bare Debian lacks. Neither may be missing unnoticed. */
const STATE = `if [ -r /proc/self/stat ]
then read -r stat < "/proc/$1/stat" && printf %s "\${stat##*) }" || true
else command -v ps > /dev/null; ps -o stat= -p "$1" || true
fi 2>/dev/null`;

/** A zombie counts as ended. */
export async function isAlive(under: RuntimeUnderTest, pid: string): Promise<boolean> {
  const state = (await sh(under, STATE, pid)).trim();
  return state !== '' && !/^[ZX]/.test(state);
}
