import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { accessContract } from '../../access/access-store.contract.ts';
import { sqliteStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

accessContract('SQLite', (place, clock) =>
  sqliteStore({ path: join(directory, `${place}.db`), clock }),
);
