import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { agentRig, isAlive } from '../../../../test/support/agent-rig.ts';
import { until } from '../../../../test/support/until.ts';
import { findNodes, sweepNodes, sweepRun } from './sweep.ts';
import { formatTag, TAG_VARIABLE } from './tag.ts';

const AWAY = process.platform === 'linux' ? ['forks-away.sh', 'double-forks.sh'] : [];
const LEFT = [
  'ignores-everything.sh',
  'orphans-in-its-session.sh',
  'forks-on.sh',
  'forks-widely.sh',
  'is-stopped.sh',
  ...AWAY,
];
const dead = new Set(['dead']);

test.each(LEFT)(
  '[A9] what a killed server left behind is killed, with everything it started: %s',
  async (name) => {
    const rig = agentRig();
    const { installation } = rig;
    const server = await rig.server({ program: name, node: 'dead' });
    await server.end('SIGKILL');
    expect(server.pids.filter(isAlive)).toEqual(server.pids);
    expect(findNodes({ installation })).toEqual(dead);
    const { stopped, left } = await sweepNodes({ installation, nodes: dead });
    expect(server.pids.filter(isAlive)).toEqual([]);
    expect(rig.marked()).toEqual([]);
    expect(left).toEqual([]);
    const tag = { installation, node: 'dead', run: 'run' };
    expect(stopped).toContainEqual({ pid: server.pids[0], tag });
    expect(stopped.map(({ pid }) => pid)).toEqual(expect.arrayContaining(server.pids));
  },
);

test('[A9] agents of other nodes and other installations are left alone', async () => {
  const rig = agentRig();
  const other = agentRig();
  const program = 'ignores-interrupt.sh';
  const servers = await Promise.all([
    rig.server({ program, node: 'live' }),
    other.server({ program, node: 'dead' }),
    rig.server({ program, node: 'dead' }),
  ]);
  for (const server of servers) await server.end('SIGKILL');
  expect(findNodes({ installation: rig.installation })).toEqual(new Set(['live', 'dead']));
  await sweepNodes({ installation: rig.installation, nodes: dead });
  const alive = servers.map(({ pids }) => pids.filter(isAlive).length);
  expect(alive).toEqual([2, 2, 0]);
  await rig.sweep();
  await other.sweep();
});

test('[A3] what is left of one run is killed before it runs again', async () => {
  const rig = agentRig();
  const program = 'ignores-interrupt.sh';
  const [again, another] = await Promise.all([
    rig.server({ program, run: 'again' }),
    rig.server({ program, run: 'another' }),
  ]);
  await again.end('SIGKILL');
  await sweepRun({ installation: rig.installation, run: 'again' });
  expect(again.pids.filter(isAlive)).toEqual([]);
  expect(another.pids.filter(isAlive)).toEqual(another.pids);
  await another.end('SIGTERM');
});

test('[A9] a copied tag gets no other process killed', async () => {
  const rig = agentRig();
  const tag = formatTag({ installation: rig.installation, node: 'dead', run: 'run' }, 1);
  // A session with a process before the tag was copied into it, and one after.
  const script = `sleep 1000 & echo $!; ${TAG_VARIABLE}='${tag}' sleep 1000 & echo $!; wait`;
  const leader = spawn('/bin/sh', ['-c', script], { detached: true });
  const pids = await numbers(leader.stdout, 2);
  onTestFinished(() => {
    for (const pid of [leader.pid ?? 0, ...pids]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  // It is no child of the one who looks.
  const sweeper = await sweepElsewhere(rig.installation);
  expect(sweeper.code).toBe(0);
  await until(() => !isAlive(pids[1] ?? 0));
  expect(isAlive(pids[0] ?? 0)).toBe(true);
  expect(isAlive(leader.pid ?? 0)).toBe(true);
});

test('[A9] a server that was started by a dead node’s agent does not sweep itself away', async () => {
  const rig = agentRig();
  const tag = formatTag({ installation: rig.installation, node: 'dead', run: 'run' }, 1);
  // The tag is on it, on the shell that started it, and on what it has started; all one group.
  const sweeper = await sweepElsewhere(rig.installation, tag);
  expect(sweeper).toEqual({ code: 0, said: 'swept 0\nshell lives\n' });
});

/** A sweep by a process of its own, started by a shell. */
async function sweepElsewhere(installation: string, tag?: string) {
  const code = `
    import { spawn } from 'node:child_process';
    import { sweepNodes } from '${new URL('./sweep.ts', import.meta.url).href}';
    const child = spawn('sleep', ['1000']);
    const options = { installation: '${installation}', nodes: new Set(['dead']) };
    const { stopped } = await sweepNodes(options);
    if (${tag !== undefined}) console.log('swept ' + stopped.length);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    else process.exitCode = 1;
  `;
  const env = { ...process.env, ...(tag !== undefined && { [TAG_VARIABLE]: tag }) };
  const script = '"$0" --input-type=module -e "$1" || exit 1; echo shell lives';
  const shell = spawn('/bin/sh', ['-c', script, process.execPath, code], { env, detached: true });
  let said = '';
  shell.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  shell.stderr.pipe(process.stderr);
  const [exit] = (await once(shell, 'close')) as [number | null];
  return { code: exit, said };
}

/** The first lines of an output, each of which is a number. */
async function numbers(output: NodeJS.ReadableStream, count: number): Promise<number[]> {
  let text = '';
  output.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await until(() => text.split('\n').length > count);
  return text.trim().split('\n').map(Number);
}
