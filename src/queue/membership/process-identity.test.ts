import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { identify, isMachineId, isProvablyDead, parseStat } from './process-identity.ts';

const self = identify();

/** Starts a real process and returns it with the identity it would have registered. */
async function start(command = 'sleep', args = ['60']) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return { child, node: identityOf(child.pid ?? 0) };
}

const identityOf = (pid: number) => ({
  ...self,
  pid,
  pidStart: parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).start,
});

const onLinux = test.runIf(process.platform === 'linux');

test('this process has an identity and is not dead', () => {
  expect(self.host).not.toBe('');
  expect(self.bootId).not.toBe('');
  expect(self.pidStart).not.toBe('');
  expect(identify('given').host).toBe('given');
  expect(identify()).toEqual(self);
  expect(isProvablyDead(self, self)).toBe(false);
});

test.each([
  ['0123456789abcdef0123456789abcdef', true],
  ['', false],
  ['uninitialized', false],
  ['0'.repeat(32), false],
  ['0123456789abcdef', false],
  ['01234567-89ab-cdef-0123-456789abcdef', false],
])('[Q23] machine-id "%s" names a machine: %s', (text, names) => {
  expect(isMachineId(text)).toBe(names);
});

test('[Q7] a stat line with a hostile program name is parsed correctly', () => {
  const rest = `S ${Array.from({ length: 18 }, (_, n) => n).join(' ')} 4711 99`;
  expect(parseStat(`12 (a) R (b c)) ${rest}`)).toEqual({ start: '4711', ended: false });
  expect(parseStat(`12 (x) ${rest.replace('S', 'Z')}`).ended).toBe(true);
});

onLinux('[Q7] a process is proven dead when it is gone, and not before', async () => {
  const { child, node } = await start();
  expect(isProvablyDead(node, self)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => isProvablyDead(node, self));
});

onLinux('[Q7] a stopped process is alive', async () => {
  const { child, node } = await start();
  child.kill('SIGSTOP');
  await until(() => / T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8')));
  expect(isProvablyDead(node, self)).toBe(false);
});

onLinux('[Q7] a zombie is dead', async () => {
  // The shell execs a program that never collects its child.
  const { child } = await start('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(chunk.toString());
  const parent = () => readFileSync(`/proc/${child.pid}/comm`, 'utf8').trim();
  await until(() => parent() === 'sleep');
  const node = identityOf(pid);
  expect(isProvablyDead(node, self)).toBe(false);
  process.kill(pid, 'SIGKILL');
  await until(() => isProvablyDead(node, self));
  expect(parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).ended).toBe(true);
});

onLinux('[Q7] a process whose pid now belongs to another one is dead', async () => {
  const { node } = await start();
  expect(isProvablyDead({ ...node, pidStart: '1' }, self)).toBe(true);
});

test.each([
  ['host', { host: 'another' }],
  ['boot', { bootId: 'another' }],
  ['pid namespace', { pidNamespace: 'pid:[1]' }],
])('[Q7] a node in another %s is never judged by its pid', (_, other) => {
  // The pid is free here, which proves nothing about the other side.
  expect(isProvablyDead({ ...self, ...other, pid: 2 ** 22 - 1 }, self)).toBe(false);
});

test('[Q7] without a boot id nothing can be proven', () => {
  const unknown = { ...self, bootId: '' };
  expect(isProvablyDead({ ...unknown, pid: 2 ** 22 - 1 }, unknown)).toBe(false);
});
