import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { DEPTH } from '../../../test/depth.ts';
import { testStore } from '../../../test/sqlite.ts';
import { storeModel } from '../../queue/store.model.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
storeModel('SQLite', (clock) => testStore({ path: join(directory, `${++files}.db`), clock }), {
  numRuns: 8 * DEPTH,
});
