import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { Process } from '../../process.ts';
import { type Check, isAlive, type RuntimeUnderTest, start } from './rig.ts';

/** Starts processes in ways that leave its process group and, where possible, its session. */
const FAMILY = [
  'sleep 1000 & echo $!',
  '(sleep 1000 & echo $!)',
  `(trap '' HUP INT TERM; sleep 1000 & echo $!; wait) &`,
  'if command -v setsid >/dev/null; then setsid sleep 1000 & echo $!; fi',
  'echo ready',
];

/** The pids that a process prints before `ready`. */
async function pidsOf({ stdout }: Process): Promise<string[]> {
  const pids: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    if (line === 'ready' && pids.length >= 3) return pids;
    if (line !== 'ready') pids.push(line);
  }
  throw new Error('it ended before it was ready');
}

async function family(under: RuntimeUnderTest, last: string, unit?: string) {
  const script = [...FAMILY, last].join('\n');
  const options = unit === undefined ? {} : { unit };
  const process = await start(under, ['/bin/sh', '-c', script], options);
  process.stderr.resume();
  return { process, pids: await pidsOf(process) };
}

async function expectGone(under: RuntimeUnderTest, pids: readonly string[]): Promise<void> {
  for (const pid of pids) expect([pid, await isAlive(under, pid)]).toEqual([pid, false]);
}

export const UNIT_CHECKS: readonly Check[] = [
  {
    name: '[A9] stopping a process ends everything that it has started',
    run: async (under) => {
      const { process, pids } = await family(under, `trap '' INT TERM; while :; do sleep 1; done`);
      for (const pid of pids) expect(await isAlive(under, pid)).toBe(true);
      await Promise.all([process.stop(), process.stop()]);
      expect(await process.exited).toMatchObject({ code: null });
      await expectGone(under, pids);
    },
  },
  {
    name: '[A9] stopping a process that has ended kills what it has left behind',
    run: async (under) => {
      const { process, pids } = await family(under, 'exit 0');
      await process.exited;
      await process.stop();
      await expectGone(under, pids);
    },
  },
  {
    name: '[A3] leftovers of a unit are killed, and those of other units are not',
    run: async (under) => {
      const { runtime } = under;
      const mine = await family(under, 'exit 0', 'left behind');
      await mine.process.exited;
      const other = await family(under, 'wait', 'at work');
      expect(await runtime.stopLeftovers('left behind')).toEqual([]);
      await expectGone(under, mine.pids);
      for (const pid of other.pids) expect(await isAlive(under, pid)).toBe(true);
      expect(await runtime.stopLeftovers('never started')).toEqual([]);
      await other.process.stop();
    },
  },
];
