import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { root, start, temporaryDirectory } from '../../../test/support/processes.ts';
import { sqliteStore } from './store.ts';

const fixture = (name: string) => join(root, 'test', 'fixtures', name);

test('[O2] a second process on the same file is refused, and the error names the first', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  const first = start(process.execPath, [fixture('hold-sqlite.ts'), path]);
  await first.line('open');
  await expect(sqliteStore({ path })).rejects.toMatchObject({
    code: 'data_in_use',
    message: expect.stringContaining(`Process ${first.pid} (running since `),
  });
}, 15_000);

test('[O2] a start waits for a process that is exiting, and a killed one leaves no lock', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  const first = start(process.execPath, [fixture('hold-sqlite.ts'), path]);
  await first.line('open');
  const second = sqliteStore({ path });
  process.kill(first.pid, 'SIGKILL');
  const store = await second;
  expect(await store.counts()).toMatchObject({ queued: 0 });
  await store.close();
});

test('a second store in the same process is refused too', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  const store = await sqliteStore({ path });
  await expect(sqliteStore({ path })).rejects.toMatchObject({ code: 'data_in_use' });
  await store.close();
}, 15_000);

test('a file that is not a database is named in the error and not changed', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  writeFileSync(
    path,
    'this is a letter, not a database, and long enough to be looked at closely '.repeat(20),
  );
  await expect(sqliteStore({ path })).rejects.toMatchObject({
    code: 'database_corrupt',
    message: expect.stringContaining(path),
  });
});

test('a directory that cannot be created is a clear error', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  await expect(sqliteStore({ path: join(directory, 'file', 'sub', 'q.db') })).rejects.toMatchObject(
    { code: 'database_read_only' },
  );
});

test('a read-only directory is a clear error', async () => {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o500);
  // Root may write everywhere, unless it drops that capability.
  const root = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const [command, ...args] = [
    ...root,
    process.execPath,
    fixture('open-sqlite.ts'),
    join(directory, 'q.db'),
  ];
  const { code, output } = await collect(command!, args);
  expect(output).toContain('database_read_only');
  expect(code).toBe(1);
});

/** A small file system of our own, in a mount namespace that ends with the process. */
const withSmallDisk = (directory: string, command: string): string[] => [
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=6m tmpfs '${directory}' && ${command}`,
];
const canMount = spawnSync('unshare', withSmallDisk(tmpdir(), 'true')).status === 0;

test.skipIf(!canMount)(
  'a full disk refuses the run whole, keeps what was stored, and goes on when there is room (needs user namespaces)',
  async () => {
    const directory = temporaryDirectory();
    const program = `exec '${process.execPath}' '${fixture('fill-sqlite.ts')}' '${directory}'`;
    const { code, output } = await collect('unshare', withSmallDisk(directory, program));
    expect(output).toContain('refused with disk_full');
    expect(output).toContain('stored runs are all there');
    expect(output).toContain('goes on');
    expect(code).toBe(0);
  },
  30_000,
);

test('a call that fails does not undo those that share its commit', async () => {
  const store = await sqliteStore({ path: join(temporaryDirectory(), 'q.db') });
  const results = await Promise.allSettled([
    store.enqueue([admission('a')]),
    store.enqueue([admission('a')]),
    store.enqueue([admission('b')]),
    store.change({ do: 'cancel', run: 'nobody', kind: 'stop' }),
    store.enqueue([admission('c')]),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(await store.counts()).toMatchObject({ queued: 3 });
  expect((await store.listAfter('a', 0, 10)).map(({ seq }) => seq)).toEqual([1]);
  await store.close();
});

test('after close every call fails with `closed`, and closing twice is fine', async () => {
  const store = await sqliteStore({ path: join(temporaryDirectory(), 'q.db') });
  await store.close();
  await store.close();
  await expect(store.enqueue([admission('a')])).rejects.toMatchObject({ code: 'closed' });
  await expect(store.counts()).rejects.toMatchObject({ code: 'closed' });
});

function collect(
  command: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
