import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { runGit } from './git-process.ts';

test('[E7] what git prints to stderr takes no memory', async () => {
  const bin = temporaryDirectory();
  const script = '#!/bin/sh\nhead -c 100000000 /dev/zero >&2\necho done\n';
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const signal = new AbortController().signal;
  const memory = () => process.memoryUsage().rss;
  const before = memory();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, memory() - before);
  }, 5);
  onTestFinished(() => clearInterval(timer));
  const env = { PATH: process.env['PATH'] ?? '' };
  const { code, stdout } = await runGit({ args: [], cwd: bin, env, maxBytes: 100, signal });
  expect([code, stdout.toString()]).toEqual([0, 'done\n']);
  expect(Math.max(most, memory() - before)).toBeLessThan(80_000_000);
});
