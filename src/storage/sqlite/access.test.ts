import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testStore } from '../../../test/support/sqlite.ts';
import { accessConformance } from '../../access/conformance/access-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

accessConformance('SQLite', (name, clock) =>
  testStore({ path: join(directory, `${name}.db`), clock }),
);
