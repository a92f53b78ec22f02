import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { findProgram } from './find-program.ts';

test('[A2] a relative folder in the PATH is skipped, because it is another one in the workspace', async () => {
  const folder = join(temporaryDirectory(), 'bin');
  mkdirSync(folder);
  const program = join(folder, 'agent');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const fromHere = relative(process.cwd(), folder);
  expect(await findProgram('agent', { PATH: `:${fromHere}:.` })).toBeNull();
  expect(await findProgram('agent', { PATH: `${fromHere}:${folder}` })).toBe(program);
});
