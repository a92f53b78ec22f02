import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { agentRig, isAlive } from '../../../../test/support/agent-rig.ts';
import { until } from '../../../../test/support/until.ts';

/** The waiting shell of a server, or what it has become. */
const lifelines = (installation: string): string[] =>
  spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes(installation) && /read -r|lifeline-program/.test(line));

test.each(['ignores-everything.sh', 'double-forks.sh'])(
  '[A9] the agents of a server that was killed do not wait for the next start: %s',
  async (program) => {
    const rig = agentRig();
    const server = await rig.server({ program, lifeline: true });
    expect(server.pids.filter(isAlive)).toEqual(server.pids);
    await server.end('SIGKILL');
    await until(() => !server.pids.some(isAlive));
    await until(() => lifelines(rig.installation).length === 0);
  },
);

test('[A9] the lifeline ends with a server that ends in order', async () => {
  const rig = agentRig();
  const server = await rig.server({ program: 'ignores-interrupt.sh', lifeline: true });
  expect(lifelines(rig.installation)).toHaveLength(1);
  await server.end('SIGTERM');
  await until(() => lifelines(rig.installation).length === 0);
});
