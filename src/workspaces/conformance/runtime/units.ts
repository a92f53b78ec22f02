import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Process } from '../../process.ts';
import { type Check, isAlive, type RuntimeUnderTest, start } from './rig.ts';

/** Starts processes in ways that leave its process group and, where possible, its session. */
const FAMILY = [
  'sleep 1000 & echo $!',
  '(sleep 1000 & echo $!)',
  'if command -v setsid >/dev/null; then setsid sleep 1000 & echo $!; fi',
  // The last one, because it prints its pid at any time.
  `(trap '' HUP INT TERM; sleep 1000 & echo $!; echo ready; wait) &`,
];

/** The pids that a process prints before `ready`. */
async function pidsOf({ stdout }: Process): Promise<string[]> {
  const pids: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    if (line === 'ready') return pids;
    pids.push(line);
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

/** A process that waits for the end of its input and leaves its family behind. */
async function abandoned(under: RuntimeUnderTest, unit?: string) {
  const { process, pids } = await family(under, 'read -r line; exit 0', unit);
  await expectAlive(under, pids);
  process.stdin.end();
  await process.exited;
  return { process, pids };
}

async function expectAlive(under: RuntimeUnderTest, pids: readonly string[]): Promise<void> {
  for (const pid of pids) expect([pid, await isAlive(under, pid)]).toEqual([pid, true]);
}

async function expectGone(under: RuntimeUnderTest, pids: readonly string[]): Promise<void> {
  for (const pid of pids) expect([pid, await isAlive(under, pid)]).toEqual([pid, false]);
}

/** How long a stop may take. */
const STOP_MS = 5000;

async function inTime(stopping: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const late = setTimeout(STOP_MS, 'late', { signal: waiting.signal }).catch(() => 'late');
  expect(await Promise.race([stopping.then(() => 'stopped'), late])).toBe('stopped');
  waiting.abort();
}

/** Each ends at one step of a stop, with its exit code, and ignores what may come before it. */
const ENDS_AT = [
  `trap 'exit 11' INT; trap '' TERM; echo ready; while :; do sleep 0.05; done`,
  `trap '' INT TERM; echo ready; while read -r line; do :; done; exit 12`,
  `trap '' INT; trap 'exit 13' TERM; echo ready; while :; do sleep 0.05; done`,
];

export const UNIT_CHECKS: readonly Check[] = [
  {
    name: '[A9] stopping a process ends everything that it has started',
    run: async (under) => {
      const { process, pids } = await family(under, `trap '' INT TERM; while :; do sleep 1; done`);
      await expectAlive(under, pids);
      await inTime(Promise.all([process.stop(), process.stop()]));
      expect(await process.exited).toMatchObject({ code: null });
      await expectGone(under, pids);
    },
  },
  {
    name: '[Q9] a stop interrupts, ends the input and sends SIGTERM, so that a process can end itself',
    run: async (under) => {
      const codes = ENDS_AT.map(async (script) => {
        const process = await start(under, ['/bin/sh', '-c', script]);
        await once(process.stdout, 'data');
        await process.stop();
        return (await process.exited).code;
      });
      expect(await Promise.all(codes)).toEqual([11, 12, 13]);
    },
  },
  {
    name: '[A9] stopping a process that has ended kills what it has left behind',
    run: async (under) => {
      const { process, pids } = await abandoned(under);
      await inTime(process.stop());
      await expectGone(under, pids);
    },
  },
  {
    name: '[A3] leftovers of a unit are killed, and those of other units are not',
    run: async (under) => {
      const { runtime } = under;
      const mine = await abandoned(under, 'left behind');
      const other = await family(under, 'wait', 'at work');
      expect(await runtime.stopLeftovers('left behind')).toEqual([]);
      await expectGone(under, mine.pids);
      await expectAlive(under, other.pids);
      expect(await runtime.stopLeftovers('never started')).toEqual([]);
      await other.process.stop();
    },
  },
];
