import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import type { TextStream, TurnRuntime } from '../../src/agents/driver.ts';
import { processTable } from '../../src/workspaces/local/processes/process-table.ts';
import type { Ladder } from '../../src/workspaces/local/processes/stop/ladder.ts';
import { findNodes, sweepNodes } from '../../src/workspaces/local/processes/sweep.ts';
import { parseTag } from '../../src/workspaces/local/processes/tag.ts';
import type { LocalSettings } from '../../src/workspaces/local/runtime.ts';
import { testRuntime } from './local-runtime.ts';
import { root } from './processes.ts';
import { until } from './until.ts';

const fixtures = join(root, 'src/workspaces/local/processes/fixtures');

/** Short times, but a long one for the last step: the machine may be busy. */
const QUICK: Ladder = { interruptMs: 150, inputMs: 50, terminateMs: 150, killMs: 20_000 };

/** For tests that do not check masking. */
export const unmasked = (): TextStream => ({ push: (piece) => piece, end: () => '' });

let installations = 0;

/** A separate installation; none of its processes may be left when the test ends. */
export function agentRig() {
  const installation = `rig-${process.pid}-${++installations}`;
  const table = processTable();
  const marked = () =>
    table.list().filter(({ pid }) => {
      const tag = table.tagOf(pid);
      return tag !== null && parseTag(tag)?.installation === installation;
    });
  const sweep = () => sweepNodes({ installation, nodes: findNodes({ installation }) });
  onTestFinished(async () => {
    const left = marked();
    await sweep();
    expect(left).toEqual([]);
  });
  const runtimeAt = (path: string, settings: Partial<LocalSettings> = {}) =>
    testRuntime(path, { installation, ladder: QUICK, ...settings });
  /** The runtime of a turn. */
  const runtime = (path = '/', settings: Partial<LocalSettings> = {}, run = 'run'): TurnRuntime => {
    const whole = runtimeAt(path, settings);
    return { ...whole, spawn: (argv, options) => whole.spawn(argv, { ...options, unit: run }) };
  };
  const spawnFor = (run = 'run', settings: Partial<LocalSettings> = {}) =>
    runtime('/', settings, run).spawn;
  return {
    installation,
    marked,
    /** Kills what all its servers left behind. */
    sweep,
    runtimeAt,
    runtime,
    spawnFor,
    start: (name: string, settings: Partial<LocalSettings> = {}) =>
      start(spawnFor('run', settings), name),
    server: (options: Parameters<typeof server>[1]) => server(installation, options),
  };
}

/** A separate server with an agent, for tests that kill it. */
async function server(
  installation: string,
  options: { program: string; node?: string; run?: string; lifeline?: boolean },
) {
  const { node = 'node', run = 'run', program, lifeline = false } = options;
  const entry = join(root, 'test/fixtures/agent-server.ts');
  const args = [entry, installation, node, run, program, lifeline ? 'lifeline' : ''];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { started } = await heard(child);
  const exit = once(child, 'exit');
  return {
    /** The agent and the processes that it names. */
    pids: started,
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exit;
    },
  };
}

/** Starts a program of the fixtures and waits until it reports that it is ready. */
async function start(spawn: TurnRuntime['spawn'], name: string) {
  const interpreter = name.endsWith('.mjs') ? process.execPath : '/bin/sh';
  const agent = await spawn([interpreter, join(fixtures, name)], { cwd: '/' });
  agent.stderr.resume();
  return heard(agent);
}

/** Reads the output of a process; `started` are the processes that it names. */
async function heard<P extends { stdout: Readable }>(process: P) {
  let text = '';
  process.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await until(() => text.includes('ready\n'));
  const started = [...text.matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    for (const pid of started) if (isAlive(pid)) globalThis.process.kill(pid, 'SIGKILL');
  });
  return { process, started, said: () => text.split('\n').filter((line) => line !== '') };
}

/** A zombie has ended; its parent just has not noticed yet. */
export const isAlive = (pid: number): boolean => processTable().observe(pid)?.ended === false;
