import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { agentRig, isAlive } from '../../../../test/support/agent-rig.ts';
import { processTable } from './process-table.ts';
import { supervise } from './supervise.ts';

const QUICK = { interruptMs: 10, inputMs: 10, terminateMs: 10, killMs: 10 };

test('[Q9] a process that the system does not list is killed all the same', async () => {
  const table = { ...processTable(), list: () => [] };
  const spawn = agentRig().spawnFor('run', { table });
  const argv = ['/bin/sh', '-c', 'trap "" INT TERM; exec sleep 1000'];
  const agent = await spawn(argv, { cwd: '/' });
  await agent.stop();
  await agent.exited;
  expect(isAlive(agent.pid)).toBe(false);
});

test('[Q9] stopping a process that never exits ends, and the process is reported', async () => {
  const kill = vi.fn();
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const child = Object.assign(new EventEmitter(), streams, { kill });
  const root = { pid: 4_194_304, parent: 1, group: 1, session: 1, start: 1, ended: false };
  const table = { ...processTable(), list: () => [], observe: () => null };
  const onLeft = vi.fn();
  const started = { child: child as never, table, root, tag: '', interrupts: undefined };
  const agent = supervise(started, { ladder: QUICK, onLeft });
  await agent.stop();
  expect(await agent.exited).toEqual({ code: null, signal: null });
  expect(kill).toHaveBeenCalledWith('SIGKILL');
  expect(onLeft).toHaveBeenCalledWith([root]);
});
