import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { readRegular } from './read-regular.ts';

test('[Q16] reads a small file, and never waits for a pipe in its place', async () => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'file'), 'text');
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  mkdirSync(join(dir, 'folder'));
  const read = async (name: string, max = 4) =>
    (await readRegular(join(dir, name), max))?.content.toString();
  expect(await read('file')).toBe('text');
  expect(await read('file', 3)).toBeUndefined();
  expect(await read('pipe')).toBeUndefined();
  expect(await read('folder')).toBeUndefined();
  expect(await read('missing')).toBeUndefined();
});
