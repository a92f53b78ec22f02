import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testStore } from '../../../test/support/sqlite.ts';
import { storeConformance } from '../../queue/conformance/store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
storeConformance('SQLite', (clock) => testStore({ path: join(directory, `${++files}.db`), clock }));
