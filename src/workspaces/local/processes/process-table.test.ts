import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { processTable } from './process-table.ts';
import { parseRow } from './process-table-mac.ts';
import { findTag, newerThan, parseStat } from './process-table-proc.ts';
import { signal } from './stop/signal.ts';
import { formatTag, parseTag, TAG_VARIABLE } from './tag.ts';

const onLinux = test.runIf(process.platform === 'linux');
const table = processTable();

async function sleeper(env: NodeJS.ProcessEnv = {}) {
  const since = table.now();
  const child = spawn('sleep', ['1000'], { detached: true, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return { child, pid: child.pid ?? 0, since };
}

test('[A9] a process is found with its parent, group, session and start', async () => {
  const { child, pid, since } = await sleeper();
  const row = table.observe(pid);
  expect(row).toMatchObject({ pid, parent: process.pid, group: pid, session: pid, ended: false });
  expect(row?.start).toBeGreaterThanOrEqual(table.observe(process.pid)?.start ?? Infinity);
  expect(table.list()).toContainEqual(row);
  expect(table.list(since)).toContainEqual(row);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(table.observe(pid)).toBeNull();
});

onLinux('[A9] a list since a given time leaves out older processes', async () => {
  const { pid, since } = await sleeper();
  const pids = table.list(since).map((row) => row.pid);
  expect(pids).toContain(pid);
  expect(pids).not.toContain(process.pid);
});

test('[A9] a tag is read from the environment, exactly', async () => {
  const { pid } = await sleeper({ [TAG_VARIABLE]: 'i:n:r:1', [`X${TAG_VARIABLE}`]: 'other' });
  await until(() => table.tagOf(pid) === 'i:n:r:1');
  expect(table.tagOf((await sleeper()).pid)).toBeNull();
});

onLinux('[A9] a thread is not a process, although it shows the same tag', async () => {
  const env = { ...process.env, [TAG_VARIABLE]: 'i:n:r:1' };
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const threads = () => readdirSync(`/proc/${child.pid}/task`).map(Number);
  await until(() => threads().length > 3);
  const marked = threads().filter((id) => table.tagOf(id) !== null);
  expect(marked).toEqual([child.pid]);
});

test('[A9] a signal never reaches a process that reuses the pid of another', async () => {
  const { child, pid } = await sleeper();
  const row = table.observe(pid);
  if (row === null) throw new Error('not there');
  signal(table, { ...row, start: row.start - 1 }, 'SIGKILL');
  signal(table, row, 'SIGTERM');
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
});

test('[A9] the fields of a stat line are found behind a hostile program name', () => {
  const fields = `S 1 2 3 ${Array.from({ length: 15 }, () => 0).join(' ')} 4711 99`;
  const row = { pid: 12, parent: 1, group: 2, session: 3, start: 4711, ended: false };
  expect(parseStat(12, `12 (a) R 9 9 (b c)) ${fields}`)).toEqual(row);
  expect(parseStat(12, `12 (x) ${fields.replace('S', 'Z')}`).ended).toBe(true);
});

test('[A9] pids between two moments are new, also after the numbers have gone round', () => {
  const from = (since: number, newest: number, forks: number, most = 32_768) =>
    [100, 5000, 30_000].filter(newerThan({ newest: since, forks: 1 }, { newest, forks }, most));
  expect(from(4000, 6000, 2001)).toEqual([5000]);
  expect(from(29_000, 200, 4000)).toEqual([100, 30_000]);
  expect(from(4000, 6000, 40_000)).toEqual([100, 5000, 30_000]);
  expect(from(4000, 6000, Number.NaN)).toEqual([100, 5000, 30_000]);
  // This many processes may have used up all pids of a system with few.
  expect(from(4000, 6000, 3001, 4096)).toEqual([100, 5000, 30_000]);
  expect(from(4000, 6000, 2, 0)).toEqual([100, 5000, 30_000]);
});

test('[A9] a tag is a whole variable, and the first of its name', () => {
  const find = (text: string) => findTag(Buffer.from(text));
  expect(find(`A=1\0${TAG_VARIABLE}=x\0B=2\0`)).toBe('x');
  expect(find(`${TAG_VARIABLE}=x`)).toBe('x');
  expect(find(`A=${TAG_VARIABLE}=x\0`)).toBeNull();
  expect(find(`A=${TAG_VARIABLE}=x\0${TAG_VARIABLE}=y\0${TAG_VARIABLE}=z\0`)).toBe('y');
  expect(find('')).toBeNull();
});

test('[A9] a tag carries any names, and nothing else is one', () => {
  const tag = { installation: 'a:b', node: 'ノード %', run: '' };
  expect(parseTag(formatTag(tag, 3))).toEqual(tag);
  for (const text of ['', 'a:b:c', 'a:b:c:1:2', 'a:b:%:1']) expect(parseTag(text)).toBeNull();
});

test('[A9] a line of ps is read', () => {
  expect(parseRow('  12   1    7 Ss+  Thu Oct  1 10:20:30 2026')).toEqual({
    pid: 12,
    parent: 1,
    group: 7,
    session: 7,
    start: Date.parse('Thu Oct 1 10:20:30 2026'),
    ended: false,
  });
  expect(parseRow('  12   1    7 Z    Thu Oct  1 10:20:30 2026')?.ended).toBe(true);
  expect(parseRow('')).toBeNull();
});
