import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { DEPTH } from '../../../test/depth.ts';
import { storeModel } from '../../queue/store.model.ts';
import { sqliteStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
storeModel('SQLite', (clock) => sqliteStore({ path: join(directory, `${++files}.db`), clock }), {
  numRuns: 15 * DEPTH,
});
