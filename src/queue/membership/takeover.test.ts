import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { CapturedLog } from '../../../test/support/captured-log.ts';
import { until } from '../../../test/support/until.ts';
import { rig } from '../../../test/support/worker-rig.ts';
import type { NodeRecord } from '../../contract/node.ts';
import { identify } from './process-identity.ts';
import { Takeover } from './takeover.ts';

const self = identify();
const node = (id: string, expired: boolean, changes: Partial<NodeRecord> = {}) => ({
  ...{ ...self, id, roles: [], types: [], capacity: 1, version: '' },
  ...{ leaseUntil: 0, startedAt: 0, expired },
  ...changes,
});

function setUp(dead: string[]) {
  const log = new CapturedLog();
  const named: (readonly string[])[] = [];
  const run = { run: 'r', lane: 'l', node: 'n', state: 'queued', crashes: 1 } as const;
  const store = {
    takeOver: async (ids: readonly string[]) => {
      named.push(ids);
      return [run];
    },
  };
  const takeover = new Takeover(store, self, log, ({ id }) => dead.includes(id));
  return { takeover, named, log };
}

test('[Q7] names only nodes that are proven dead, and takes over when a lease has expired', async () => {
  const { takeover, named, log } = setUp(['dead']);
  expect(await takeover.pass([node('alive', false)])).toEqual([]);
  expect(named).toEqual([]);
  await takeover.pass([node('alive', false), node('dead', false), node('late', true)]);
  await takeover.pass([node('late', true)]);
  expect(named).toEqual([['dead'], []]);
  expect(log.of('TakenOver')[0]).toMatchObject({ level: 'warn', runId: 'r', lane: 'l', node: 'n' });
});

test.runIf(process.platform === 'linux')(
  '[Q7] a worker takes over immediately from a process that was killed on this host',
  async () => {
    const { queue, base, worker, reaches } = rig();
    queue.register('any', { run: () => 'by the other' });
    const { id } = await queue.enqueue({ type: 'any' });
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const dying = { ...node('dying', false), pid, pidStart: '', types: ['any'] };
    await base.join(dying, 3_600_000);
    await base.claim({
      ...{ nodeId: 'dying', types: ['any'], limit: 1 },
      caps: { types: {}, perOwner: null },
    });
    const one = worker();
    await one.start();
    expect((await queue.get(id))?.state).toBe('dequeued');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await reaches(id, 'succeeded');
    expect(await queue.get(id)).toMatchObject({ crashes: 1, attempts: 1 });
    await until(() => one.stats.takenOver === 1);
  },
);
