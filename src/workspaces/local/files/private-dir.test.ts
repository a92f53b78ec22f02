import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { privateDirOf, privateNodes, sweepPrivate } from './private-dir.ts';

test('[A9] private files of dead nodes go, those of live ones stay', async () => {
  const dataDir = temporaryDirectory();
  expect(await privateNodes(dataDir)).toEqual([]);
  await sweepPrivate(dataDir, new Set(['dead']));
  for (const node of ['dead', 'live']) {
    mkdirSync(privateDirOf(dataDir, node), { recursive: true });
    writeFileSync(join(privateDirOf(dataDir, node), 'key'), 'secret');
  }
  expect((await privateNodes(dataDir)).sort()).toEqual(['dead', 'live']);
  writeFileSync(join(dataDir, 'other'), '');
  await sweepPrivate(dataDir, new Set(['dead', '/../../other']));
  expect(existsSync(join(dataDir, 'other'))).toBe(true);
  expect(existsSync(privateDirOf(dataDir, 'dead'))).toBe(false);
  expect(existsSync(join(privateDirOf(dataDir, 'live'), 'key'))).toBe(true);
});
