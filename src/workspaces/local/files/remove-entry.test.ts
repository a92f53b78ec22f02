import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { localFiles } from './files.ts';
import { byDescriptor, byName, type FolderOpener } from './open-folder.ts';

const onLinux = test.runIf(process.platform === 'linux');

/** A folder with files and a link at every level; returns the file that the links lead to. */
function makeDeep(root: string, depth: number): string {
  const outside = temporaryDirectory();
  const secret = join(outside, 'secret');
  writeFileSync(secret, 'secret');
  let path = join(root, 'deep');
  for (let level = 0; level < depth; level++, path = join(path, 'd')) {
    mkdirSync(join(path, 'also'), { recursive: true });
    writeFileSync(join(path, 'also/file'), '');
    symlinkSync(outside, join(path, 'link'));
  }
  return secret;
}

onLinux('[W1] removing a deep folder takes few descriptors, and follows no link', async () => {
  const root = realpathSync(temporaryDirectory());
  const secret = makeDeep(root, 500);
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  let most = 0;
  const sub: FolderOpener['sub'] = (folder, name) => {
    most = Math.max(most, open() - before);
    return byDescriptor.sub(folder, name);
  };
  await localFiles(async () => root, { ...byDescriptor, sub }).remove('deep');
  expect(readdirSync(root)).toEqual([]);
  expect(readFileSync(secret, 'utf8')).toBe('secret');
  expect(most).toBeLessThan(100);
});

test('[W1] a deep folder is also removed by name', async () => {
  const root = realpathSync(temporaryDirectory());
  makeDeep(root, 100);
  await localFiles(async () => root, byName).remove('deep');
  expect(readdirSync(root)).toEqual([]);
});

test('[W1] a deep folder with long names is also removed by name', async () => {
  const root = realpathSync(temporaryDirectory());
  const part = join('next', ...Array<string>(3).fill('n'.repeat(200)));
  for (let i = 0; i < 10; i++) {
    mkdirSync(join(root, part), { recursive: true });
    if (i > 0) renameSync(join(root, 'deep'), join(root, part, 'deeper'));
    renameSync(join(root, 'next'), join(root, 'deep'));
  }
  await localFiles(async () => root, byName).remove('deep');
  expect(readdirSync(root)).toEqual([]);
});

test('[W1] a wide folder is removed', async () => {
  const root = realpathSync(temporaryDirectory());
  for (let i = 0; i < 1500; i++) mkdirSync(join(root, 'wide', `${i}`), { recursive: true });
  await localFiles(async () => root).remove('wide');
  expect(readdirSync(root)).toEqual([]);
});
