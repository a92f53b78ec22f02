import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { sessionContract } from '../../sessions/session-store.contract.ts';
import { sqliteStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

sessionContract('SQLite', (place, clock) =>
  sqliteStore({ path: join(directory, `${place}.db`), clock }),
);
