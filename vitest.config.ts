import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { bundles } from './test/support/setup/bundles.ts';
import { LongestFirst } from './test/support/setup/longest-first.ts';

// Threads and programs that tests start then find the types stripped already. Stripping is done by
// WebAssembly, and hundreds of threads that load it one after another crash V8 now and then.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'baton-test-compile-cache');

export default defineConfig({
  plugins: [bundles()],
  test: {
    include: ['web/**/*.test.ts', 'src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['test/support/setup/postgres.ts', 'test/support/setup/web.ts'],
    setupFiles: [
      'test/support/setup/no-process-left.ts',
      'test/support/setup/seed.ts',
      'test/support/setup/programs.ts',
    ],
    // Processes, not threads: tests change directories and environment, and kill what they start.
    pool: 'forks',
    // A process for each file would load everything again: 0.4 s of processor time.
    isolate: false,
    // One more than the two cores it is meant for: tests often wait, for a lease or a process to end.
    // Four keep the cores no busier, and what is timed waits longer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // What takes ten seconds alone may take four times as long beside others.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that passes only sometimes is a bug, here or in Baton.
    retry: 0,
  },
});
