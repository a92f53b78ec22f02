import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { agentEnvironment } from '../src/agents/environment.ts';
import { parseMark } from '../src/agents/mark.ts';
import type { AgentProcess } from '../src/agents/process.ts';
import { processTable } from '../src/agents/process-table.ts';
import { createSpawn, type SpawnSettings } from '../src/agents/spawn.ts';
import type { Ladder } from '../src/agents/stop/ladder.ts';
import { sweepLeftovers } from '../src/agents/sweep.ts';
import { root } from './processes.ts';
import { until } from './until.ts';

export const fixtures = join(root, 'src/agents/fixtures');

/** Quick rungs, and much time for the last one: the machine may be busy. */
export const QUICK: Ladder = { interruptMs: 150, inputMs: 50, terminateMs: 150, killMs: 20_000 };

let installations = 0;

/** An installation of its own, of which nothing may be left when the test ends. */
export function agentRig() {
  const installation = `rig-${process.pid}-${++installations}`;
  const table = processTable();
  const marked = () =>
    table.list().filter(({ pid }) => {
      const mark = table.markOf(pid);
      return mark !== null && parseMark(mark)?.installation === installation;
    });
  onTestFinished(async () => {
    const left = marked();
    await sweepLeftovers({ installation, self: 'nobody', liveNodes: new Set() });
    expect(left).toEqual([]);
  });
  const spawnFor = (run = 'run', settings: Partial<SpawnSettings> = {}) =>
    createSpawn({
      environment: agentEnvironment(process.env),
      mark: { installation, node: 'node', run },
      ladder: QUICK,
      ...settings,
    });
  return { installation, marked, spawnFor, start: (name: string) => start(spawnFor(), name) };
}

/** Starts a program of the fixtures and waits until it says that it is ready. */
async function start(spawn: ReturnType<typeof createSpawn>, name: string) {
  const interpreter = name.endsWith('.mjs') ? process.execPath : '/bin/sh';
  const process_ = await spawn([interpreter, join(fixtures, name)], { cwd: '/' });
  return heard(process_);
}

/** Reads what a process says; `started` are the processes that it names. */
export async function heard(process: AgentProcess) {
  let text = '';
  process.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  process.stderr.resume();
  await until(() => text.includes('ready\n'));
  const started = [...text.matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    for (const pid of started) if (isAlive(pid)) globalThis.process.kill(pid, 'SIGKILL');
  });
  return { process, started, said: () => text.split('\n').filter((line) => line !== '') };
}

/** A zombie has ended; only its parent has not yet noticed. */
export const isAlive = (pid: number): boolean => processTable().look(pid)?.ended === false;
