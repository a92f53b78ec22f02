import { describe, expect, test, vi } from 'vitest';
import { agentRig, isAlive } from '../../../../test/support/agent-rig.ts';
import { until } from '../../../../test/support/until.ts';
import { DRIVER_STOP_MS, StartError } from '../../process.ts';
import { type Moment, type ProcessRow, type ProcessTable, processTable } from './process-table.ts';
import { newerThan } from './process-table-proc.ts';
import { LADDER } from './stop/ladder.ts';

/** Programs that leave in every way there is, some only where there is `setsid`. */
const LIVES_ON = [
  'ends-at-interrupt.sh',
  'ends-with-input.sh',
  'ignores-interrupt.sh',
  'ignores-everything.sh',
  'says-what-it-hears.mjs',
  'orphans-in-its-session.sh',
  'forks-on.sh',
  'forks-widely.sh',
  'closes-output.sh',
  'has-a-zombie.sh',
  'is-stopped.sh',
];
const LIVES_ON_AWAY = ['forks-away.sh', 'double-forks.sh', 'loses-its-tag.sh', 'forks-on-away.sh'];
const ENDS = ['holds-output.sh', 'holds-output-and-ignores.sh', 'disowns.sh'];

const onLinux = process.platform === 'linux';
const living = [...LIVES_ON, ...(onLinux ? LIVES_ON_AWAY : [])];

describe('a process that is stopped', () => {
  test.each(living)('[Q9] leaves nothing alive: %s', async (name) => {
    const rig = agentRig();
    const { process, started } = await rig.start(name);
    await process.stop();
    await process.exited;
    expect([process.pid, ...started].filter(isAlive)).toEqual([]);
    expect(rig.marked()).toEqual([]);
  });

  test('[Q9] is interrupted, loses its input, is asked to end, and only then is killed', async () => {
    const { process, said } = await agentRig().start('says-what-it-hears.mjs');
    await process.stop();
    expect(said()).toEqual(['ready', 'SIGINT', 'end of input', 'SIGTERM']);
    expect(await process.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('[Q9] has five seconds in total, including those for its driver and some margin', () => {
    expect(Object.values(LADDER).reduce((sum, ms) => sum + ms, DRIVER_STOP_MS)).toBeLessThan(4700);
  });

  test('[Q9] may handle the interrupt and end on its own', async () => {
    const { process, said } = await agentRig().start('ends-at-interrupt.sh');
    await process.stop();
    expect(said()).toEqual(['ready', 'interrupted']);
    expect(await process.exited).toEqual({ code: 0, signal: null });
  });

  test('[Q9] is stopped once, however often it is asked', async () => {
    const { process, said } = await agentRig().start('says-what-it-hears.mjs');
    await Promise.all([process.stop(), process.stop()]);
    await process.stop();
    expect(said()).toEqual(['ready', 'SIGINT', 'end of input', 'SIGTERM']);
  });
});

test('[A9] a process is killed even if the system cannot list its processes, and that is reported', async () => {
  const table = processTable();
  const left = vi.fn();
  let broken = false;
  const list = (): ProcessRow[] => {
    if (broken) throw Object.assign(new Error('too many open files'), { code: 'ENFILE' });
    return table.list();
  };
  const settings = { table: { ...table, list }, onLeft: left };
  const agent = await agentRig().spawnFor('run', settings)(['sleep', '1000'], { cwd: '/' });
  broken = true;
  await agent.stop();
  await agent.exited;
  expect(isAlive(agent.pid)).toBe(false);
  expect(left).toHaveBeenCalledWith([expect.objectContaining({ pid: agent.pid })], 'run');
});

/** The system's processes, seen through a /proc/loadavg that does not know this pid namespace. */
function tableWith(now: () => Moment): ProcessTable {
  const table = processTable();
  const list = (since?: Moment): ProcessRow[] =>
    table
      .list()
      .filter(since === undefined ? () => true : ({ pid }) => newerThan(since, now(), 32_768)(pid));
  return { ...table, now, newest: () => now().newest, list };
}

describe('on a system that does not report the newest pid', () => {
  let forks = 0;
  const systems: readonly (readonly [string, () => Moment])[] = [
    ['lxcfs, which reports the host’s', () => ({ newest: 4_000_000 + ++forks, forks })],
    ['gVisor, which reports 0', () => ({ newest: 0, forks: 0 })],
  ];

  test.each(systems)('[Q9] a process that is stopped leaves nothing alive: %s', async (_, now) => {
    const rig = agentRig();
    const settings = { table: tableWith(now) };
    const { process, started } = await rig.start('ignores-everything.sh', settings);
    await process.stop();
    expect([process.pid, ...started].filter(isAlive)).toEqual([]);
  });

  test.each(systems)('[A9] a process that ends leaves nothing alive: %s', async (_, now) => {
    const rig = agentRig();
    const { process, started } = await rig.start('holds-output.sh', { table: tableWith(now) });
    await process.exited;
    await process.stop();
    expect(started.filter(isAlive)).toEqual([]);
  });
});

describe('a process that ends by itself', () => {
  test.each(ENDS)('[A9] leaves nothing alive: %s', async (name) => {
    const rig = agentRig();
    const { process, started } = await rig.start(name);
    expect(await process.exited).toEqual({ code: 0, signal: null });
    expect(started.filter(isAlive)).toEqual(started);
    await process.stop();
    expect(started.filter(isAlive)).toEqual([]);
  });

  test('[A9] is not missed when it ends by a signal from elsewhere', async () => {
    const { process: agent, started } = await agentRig().start('ignores-interrupt.sh');
    process.kill(agent.pid, 'SIGKILL');
    expect(await agent.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await agent.stop();
    expect(started.filter(isAlive)).toEqual([]);
  });
});

describe('what is stopped', () => {
  test('[A9] is not a process of another run', async () => {
    const rig = agentRig();
    const spawn = (run: string) => rig.spawnFor(run)(['sleep', '1000'], { cwd: '/' });
    const [one, ten] = await Promise.all([spawn('run-1'), spawn('run-10')]);
    await one.stop();
    expect(isAlive(ten.pid)).toBe(true);
    await ten.stop();
  });

  test('[A9] is not another process of the same run', async () => {
    const spawn = agentRig().spawnFor();
    const one = await spawn(['sleep', '1000'], { cwd: '/' });
    const other = await spawn(['sleep', '1000'], { cwd: '/' });
    await one.stop();
    expect(isAlive(other.pid)).toBe(true);
    await other.stop();
  });

  test('[Q9] an interrupt goes to the process alone, or to its group', async () => {
    const rig = agentRig();
    // The child says when it is ready, because it loses a signal that arrives between fork and exec.
    const child = 'sh -c "echo ready; exec sleep 1000"';
    const argv = ['/bin/sh', '-c', `trap "echo heard" INT; ${child}; echo "ended $?"`];
    const alone = await rig.spawnFor()(argv, { cwd: '/' });
    const all = await rig.spawnFor()(argv, { cwd: '/', interrupts: 'group' });
    const texts = [alone, all].map(({ stdout }) => {
      const said: string[] = [];
      stdout.setEncoding('utf8').on('data', (piece: string) => said.push(piece));
      return () => said.join('');
    });
    await until(() => texts.every((text) => text().includes('ready')));
    alone.interrupt();
    all.interrupt();
    await all.exited;
    await until(() => texts[1]?.().includes('ended 130') === true);
    expect(rig.marked()).toHaveLength(2);
    await Promise.all([alone.stop(), all.stop()]);
  });
});

describe('a program that cannot be started', () => {
  test.each([
    ['not there', ['no-such-program'], '/', 'no-such-program was not found'],
    ['not executable', ['/etc/passwd'], '/', 'is not executable'],
    ['in no directory', ['true'], '/no/such', 'The directory /no/such does not exist'],
    ['too long', ['true', 'x'.repeat(3_000_000)], '/', 'longer than this machine allows'],
    ['with a NUL', ['true', 'a\0b'], '/', 'could not be started'],
    ['nothing', [], '/', 'could not be started'],
  ])('[A1] is a StartError: %s', async (_, argv, cwd, message) => {
    const starting = agentRig().spawnFor()(argv, { cwd });
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toBeInstanceOf(StartError);
  });
});
