import type { TestProject } from 'vitest/node';
import { startPostgres } from '../postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** This server never crashes, so it need not wait for the disk; it is removed before the disk fills up. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_init_zero: 'off',
  autovacuum: 'off',
};

/** One server for the whole test run; each test file creates its own database (postgres.ts). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ settings });
  project.provide('postgresUrl', server.url);
  return () => server.remove();
}
