import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { DEPTH } from '../../../test/support/depth.ts';
import { testStore } from '../../../test/support/sqlite.ts';
import { storeModel } from '../../queue/conformance/model/store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
storeModel('SQLite', (clock) => testStore({ path: join(directory, `${++files}.db`), clock }), {
  numRuns: 8 * DEPTH,
});
