import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { processTable } from '../../src/workspaces/local/processes/process-table.ts';

const table = processTable();

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Program {
  readonly pid: number;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  /** The rest of the first stdout line with this beginning; fails if the program ends without it. */
  line(beginning: string): Promise<string>;
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a program; it and its children are killed when the test ends. */
export function start(
  command: string,
  args: string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'detached'> = {},
): Program {
  const child = spawn(command, args, {
    cwd: root,
    ...options,
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const tree = new Set([pid]);
  const note = () => {
    const rows = table.list();
    for (const member of tree) for (const row of rows) if (row.parent === member) tree.add(row.pid);
  };
  onTestFinished(async () => {
    note();
    for (const member of tree) if (isAlive(member)) process.kill(member, 'SIGKILL');
    await exit;
  });
  const lineFrom = (beginning: string) =>
    text.stdout
      .split('\n')
      .slice(0, -1)
      .find((line) => line.startsWith(beginning));
  return {
    pid,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    exit,
    line: async (beginning) => {
      for (;;) {
        const line = lineFrom(beginning);
        if (line !== undefined) {
          note();
          return line.slice(beginning.length);
        }
        const ended = await Promise.race([once(child.stdout, 'data').then(() => false), exit]);
        if (ended && lineFrom(beginning) === undefined) {
          throw new Error(`no line began with "${beginning}":\n${text.stdout}\n${text.stderr}`);
        }
      }
    },
  };
}

/** The environment without variables of npm and the caller's shell, so tests run the same everywhere. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_|BATON_|NODE_(?!COMPILE_CACHE|OPTIONS)|VITEST|INIT_CWD)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'baton-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const childrenOf = (pid: number): number[] =>
  table.list().flatMap((row) => (row.parent === pid ? [row.pid] : []));

export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** A zombie has ended; its parent just has not noticed yet. */
export const isAlive = (pid: number): boolean => table.observe(pid)?.ended === false;

/** Polls a condition outside this process, which has no signal to await. */
export async function until(what: string, holds: () => boolean, withinMs = 5000): Promise<void> {
  const start = performance.now();
  while (!holds()) {
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(Math.max(20, waited / 20));
  }
}

export const allGone = (pids: number[]): Promise<void> =>
  until(`processes ${pids.join(', ')} are gone`, () => !pids.some(isAlive));
