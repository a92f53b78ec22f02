import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { lockFile } from './lock.ts';

test('[X1] the lock file is for its owner only, even if an earlier version made it readable', async () => {
  const path = join(temporaryDirectory(), 'baton.db');
  const mode = (): number => statSync(`${path}.lock`).mode & 0o777;
  (await lockFile(path))();
  expect(mode()).toBe(0o600);
  chmodSync(`${path}.lock`, 0o644);
  (await lockFile(path))();
  expect(mode()).toBe(0o600);
});
