import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['test/setup-postgres.ts'],
    // Processes, not threads: tests change directories and environment, and kill what they start.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test that passes only sometimes is a bug, here or in Baton.
    retry: 0,
  },
});
