import { existsSync, mkdirSync } from 'node:fs';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { agentRig, isAlive } from '../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { privateDirOf } from '../workspaces/local/files/private-dir.ts';
import { stopLeftovers } from './leftovers.ts';

test('[A9] agents and private files of a node that joins during the search are left alone', async () => {
  const rig = agentRig();
  const dataDir = temporaryDirectory();
  // Starts an agent whose server is not part of this process's tree.
  const start = async (node: string): Promise<readonly number[]> => {
    mkdirSync(privateDirOf(dataDir, node), { recursive: true });
    const server = await rig.server({ program: 'ignores-interrupt.sh', node });
    await server.end('SIGKILL');
    return server.pids;
  };
  const dead = await start('dead');
  let joined: readonly number[] = [];
  const store = {
    listNodes: async () => [],
    time: async () => {
      joined = await start('joined');
      return 0;
    },
  };
  const self = { host: 'h', bootId: 'b', pidNamespace: 'n', pid: 1, pidStart: '1' };
  const log = pino({ level: 'silent' });
  const options = { store, installation: rig.installation, self, dataDir, log };
  expect(await stopLeftovers(options)).toBeGreaterThan(0);
  expect(dead.filter(isAlive)).toEqual([]);
  expect(existsSync(privateDirOf(dataDir, 'dead'))).toBe(false);
  expect(joined).not.toEqual([]);
  expect(joined.filter(isAlive)).toEqual(joined);
  expect(existsSync(privateDirOf(dataDir, 'joined'))).toBe(true);
  await rig.sweep();
});
